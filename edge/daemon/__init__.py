"""The process: composition root, HTTP on the Unix socket, workers."""
