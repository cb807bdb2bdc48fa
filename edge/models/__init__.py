"""llama.cpp, MiniLM on onnxruntime, and the files they need."""
