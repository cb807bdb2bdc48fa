"""The edge command and its client; imports no numpy, onnxruntime or llama_cpp."""
