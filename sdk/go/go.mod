module tuffet

go 1.24
