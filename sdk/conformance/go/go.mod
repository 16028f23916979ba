module reference

go 1.24

require tuffet v0.0.0

replace tuffet => ../../go
