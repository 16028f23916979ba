module example.com/churn

go 1.24

require tuffet v0.0.0

replace tuffet => ../..
