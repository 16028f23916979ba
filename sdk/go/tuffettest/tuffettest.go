//go:build !wasip1

// Package tuffettest has stand-ins for the server, for tests of plugins with `go test`: what the packages kv, files,
// sinks, http, metrics, history, upload and log do natively. They are shared by all tests of a process; begin each test with [Reset].
package tuffettest

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"testing"

	"tuffet"
	"tuffet/history"
	"tuffet/internal/host"
)

// Reset empties the stand-ins, now and at the end of the test.
func Reset(t testing.TB) {
	host.Reset()
	t.Cleanup(host.Reset)
}

// Configure configures a plugin with settings, which become JSON.
func Configure(t testing.TB, plugin tuffet.Configurer, settings any) error {
	t.Helper()
	text, err := json.Marshal(settings)
	if err != nil {
		t.Fatalf("the settings cannot become JSON: %v", err)
	}
	return plugin.Configure(text)
}

// Request returns a read of a path, with octet mode, of a client whose MAC addresses are not granted.
func Request(path string) *tuffet.Request {
	return &tuffet.Request{
		ID: "1", Listener: "default", Requested: path, Path: path,
		Client: tuffet.Client{Address: "192.0.2.7", Port: 2000, Class: "unknown"},
	}
}

// MACs are the MAC addresses of a client as the network says, for Request.Client.MACs.
func MACs(addresses ...string) *tuffet.MACAddresses {
	macs := &tuffet.MACAddresses{}
	for _, address := range addresses {
		macs.Network = append(macs.Network, tuffet.MAC{Address: address, Source: tuffet.NeighbourTable})
	}
	return macs
}

// Upload returns an upload with this content, and its request. The package upload reads the content from now on.
func Upload(root, path, content string) (*tuffet.Request, *tuffet.Upload) {
	request := Request(path)
	request.Operation = tuffet.Write
	host.With(func(s *host.State) { s.Upload = append([]byte{}, content...) })
	digest := sha256.Sum256([]byte(content))
	return request, &tuffet.Upload{Root: root, Path: path, Size: uint64(len(content)), SHA256: hex.EncodeToString(digest[:])}
}

// PutFile adds a file to a root.
func PutFile(root, path, content string) {
	host.With(func(s *host.State) { s.Files[root+":"+path] = []byte(content) })
}

// PutResponse answers HTTP requests for a URL.
func PutResponse(url string, status int, body string) {
	host.With(func(s *host.State) { s.Responses[url] = host.Response{Status: uint16(status), Body: []byte(body)} })
}

// SetHistory sets the last requests of the client, newest first.
func SetHistory(requests ...history.PastRequest) {
	host.With(func(s *host.State) {
		s.Past = nil
		for _, its := range requests {
			s.Past = append(s.Past, host.Past{
				Operation: uint8(its.Operation), Path: its.Path, Outcome: string(its.Outcome),
				EndedMSAgo: uint64(its.EndedAgo.Milliseconds()),
			})
		}
	})
}

// Metric returns the value of a counter or gauge, and whether it was ever changed. Labels alternate with their values.
func Metric(name string, labels ...string) (value float64, ok bool) {
	var fields []host.Field
	for i := 0; i+1 < len(labels); i += 2 {
		fields = append(fields, host.Field{Name: labels[i], Value: labels[i+1]})
	}
	host.With(func(s *host.State) { value, ok = s.Metrics[host.Series(name, fields)] })
	return value, ok
}

// Fill makes a sink refuse lines from now on.
func Fill(sink string) {
	host.With(func(s *host.State) { s.Full[sink] = true })
}

// Emitted returns the lines that a sink accepted.
func Emitted(sink string) (lines []string) {
	host.With(func(s *host.State) { lines = append(lines, s.Emitted[sink]...) })
	return lines
}

// A Line of the log.
type Line struct {
	// trace, debug, info, warn or error.
	Level, Message string
	Fields         []tuffet.Pair
}

// Logged returns the lines of the log.
func Logged() (lines []Line) {
	levels := []string{"trace", "debug", "info", "warn", "error"}
	host.With(func(s *host.State) {
		for _, logged := range s.Logged {
			line := Line{Level: levels[logged.Level], Message: logged.Message}
			for _, field := range logged.Fields {
				line.Fields = append(line.Fields, tuffet.Pair(field))
			}
			lines = append(lines, line)
		}
	})
	return lines
}
