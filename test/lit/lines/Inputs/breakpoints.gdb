set breakpoint pending off
set confirm off
set pagination off
set debuginfod enabled off
echo BY LINE\n
break debugger.c:29
run
kill
delete
echo BY NAME\n
break add_to_it
run
up
continue
backtrace 2
echo LISTED\n
list
delete
continue
