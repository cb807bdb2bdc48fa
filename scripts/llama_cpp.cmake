# Read by the build of llama-cpp-python right after its project(). It leaves out llama.cpp's `common` library (chat
# templates, command lines, an HTTP client), which Python neither loads nor needs and which is a third of what there is
# to compile. A plain -DLLAMA_BUILD_COMMON=OFF does not do it: that build sets it to ON by force.
set(LLAMA_BUILD_COMMON OFF)
