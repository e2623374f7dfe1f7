module isthmus.internal

go 1.25.0
