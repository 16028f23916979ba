module tuffet.invalid/fileexporter

go 1.23.0

require (
	go.opentelemetry.io/collector/component v1.31.0
	go.opentelemetry.io/collector/consumer v1.31.0
	go.opentelemetry.io/collector/exporter v0.125.0
	go.opentelemetry.io/collector/pdata v1.31.0
)
