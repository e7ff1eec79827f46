# The exported package: find_package(StreamMAP).
