set breakpoint pending off
set confirm off
set pagination off
set debuginfod enabled off
echo BY LINE\n
break debugger.cpp:28
run
print last
print by + 0
kill
delete
echo BY NAME\n
break deep::twice
run
up
continue
delete
continue
