package k6tftp

import (
	"encoding/binary"
	"net"
	"strings"
	"testing"

	"go.k6.io/k6/js/modulestest"
	"go.k6.io/k6/lib"
	"go.k6.io/k6/lib/netext"
	"go.k6.io/k6/metrics"
)

// A virtual user with the module, and a server that has one file, `five`, and takes every upload of one block.
type bench struct {
	*modulestest.Runtime
	t       *testing.T
	samples chan metrics.SampleContainer
	dialer  *netext.Dialer
}

func newBench(t *testing.T) *bench {
	t.Helper()
	b := &bench{
		Runtime: modulestest.NewRuntime(t), t: t,
		samples: make(chan metrics.SampleContainer, 100), dialer: &netext.Dialer{},
	}
	exports := new(Module).NewModuleInstance(b.VU).Exports()
	for name, value := range map[string]any{"tftp": exports.Default, "Client": exports.Named["Client"], "server": server(t)} {
		if err := b.VU.Runtime().Set(name, value); err != nil {
			t.Fatal(err)
		}
	}
	return b
}

// start leaves the init context.
func (b *bench) start() {
	registry := b.VU.InitEnvField.Registry
	b.MoveToVUContext(&lib.State{
		Samples: b.samples, Dialer: b.dialer, BuiltinMetrics: b.BuiltinMetrics,
		Tags: lib.NewVUStateTags(registry.RootTagSet().With("scenario", "test")), VUIDGlobal: 3,
	})
}

// js runs a script and gives what it says, as text.
func (b *bench) js(script string) string {
	b.t.Helper()
	value, err := b.VU.Runtime().RunString(script)
	if err != nil {
		return "exception: " + err.Error()
	}
	return value.String()
}

func (b *bench) says(script, expected string) {
	b.t.Helper()
	if said := b.js(script); !strings.Contains(said, expected) {
		b.t.Errorf("%s\n  says %s\n  expected %s", script, said, expected)
	}
}

func server(t *testing.T) string {
	t.Helper()
	conn, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	go func() {
		buffer := make([]byte, 65536)
		for {
			n, from, err := conn.ReadFromUDPAddrPort(buffer)
			if err != nil {
				return
			}
			if answer := answerTo(buffer[:n], from.Addr().String()); answer != nil {
				_, _ = conn.WriteToUDPAddrPort(answer, from)
			}
		}
	}()
	return conn.LocalAddr().String()
}

// answerTo speaks just enough TFTP. The file `me` holds the address of the client.
func answerTo(packet []byte, from string) []byte {
	text := string(packet[2:])
	switch opcode := binary.BigEndian.Uint16(packet); {
	case opcode == 1 && strings.Contains(text, "tsize"):
		return []byte("\x00\x06tsize\x005\x00")
	case opcode == 1 && strings.HasPrefix(text, "five\x00"):
		return []byte("\x00\x03\x00\x01five!")
	case opcode == 1 && strings.HasPrefix(text, "me\x00"):
		return []byte("\x00\x03\x00\x01" + strings.Repeat("x", len(from)))
	case opcode == 1:
		return []byte("\x00\x05\x00\x01no such file\x00")
	case opcode == 2:
		return []byte{0, 4, 0, 0}
	case opcode == 3:
		return []byte{0, 4, packet[2], packet[3]}
	}
	return nil
}

func TestResults(t *testing.T) {
	b := newBench(t)
	b.js(`const client = new tftp.Client({ address: server, timeout: '20s' })`)
	b.start()
	b.says(`JSON.stringify(Object.keys(client.get('five')))`, `["outcome","bytes","blocks","size","retransmissions",`+
		`"duplicates","gaps","strays","timeouts","duration","timeToFirstBlock","options","sha256","error"]`)
	b.says(`JSON.stringify(client.get('five'), ['outcome', 'bytes', 'blocks', 'size', 'error', 'sha256'])`,
		`{"outcome":"completed","bytes":5,"blocks":1,"size":null,"error":null,"sha256":null}`)
	b.says(`JSON.stringify(client.get('five').options)`,
		`{"negotiated":false,"blksize":512,"windowsize":1,"timeout":null}`)
	b.says(`client.get('five', { sha256: true }).sha256`, "5e2617f28c6b18450cc9c52e2ccc82241a4bf35b614e4c7525efce477ba55907")
	b.says(`typeof client.get('five').timeToFirstBlock`, "number")
	b.says(`JSON.stringify(client.get('six'))`, `"error":{"code":1,"message":"no such file"}`)
	b.says(`client.get('six').outcome`, "not-found")
	b.says(`client.get('five', { size: 6 }).error.message`, "5 bytes came, 6 were expected")
	b.says(`client.get('five', { size: 6 }).error.code`, "null")
	b.says(`client.probe('five').size`, "5")
	b.says(`client.probe('five').outcome`, "probed")
	b.says(`client.get('five', { abort: { after: 1, code: 0, message: 'closed' } }).outcome`, "aborted")
	b.says(`client.put('up', 'hello').bytes`, "5")
	b.says(`client.put('up', new Uint8Array([1, 2, 3]).buffer).bytes`, "3")
	b.says(`client.put('up', new Uint8Array([1, 2, 3])).bytes`, "3")
	b.says(`client.put('up', 511).bytes`, "511")
	b.says(`new Client({ address: server }) instanceof Client`, "true")
}

func TestMistakesOfScripts(t *testing.T) {
	b := newBench(t)
	for script, expected := range map[string]string{
		`new Client()`:                                                         "options are missing",
		`new Client({})`:                                                       "address is missing",
		`new Client({ address: ':1' })`:                                        `address ":1" is not host:port`,
		`new Client({ address: 'x:99999' })`:                                   `"x:99999" is not host:port`,
		`new Client({ address: 5 })`:                                           "must be text",
		`new Client({ address: server, blocksize: 9 })`:                        `unknown option "blocksize"; there are address,`,
		`new Client({ address: server, blksize: 7 })`:                          "option blksize: must be a whole number from 8 to 65464, not 7",
		`new Client({ address: server, blksize: '512' })`:                      "must be a whole number",
		`new Client({ address: server, windowsize: 1.5 })`:                     "must be a whole number",
		`new Client({ address: server, timeout: 'soon' })`:                     "option timeout: must be a time",
		`new Client({ address: server, timeout: 0 })`:                          "must be a time from 1ms",
		`new Client({ address: server, tsize: 1 })`:                            "must be true or false",
		`new Client({ address: server, expect: 'good' })`:                      `there is no outcome "good"`,
		`new Client({ address: server, tags: { outcome: 'x' } })`:              "outcome is set by each transfer",
		`new Client({ address: server, localAddress: 'here' })`:                "option localAddress:",
		`new Client({ address: server, sha256: 'abc' })`:                       "64 hexadecimal digits",
		`new Client({ address: server, abort: { later: 1 } })`:                 `unknown key "later"`,
		`new Client({ address: server }).get('five')`:                          "not possible in the init context",
		`new Client({ address: server, tags: 'x' })`:                           "must be an object",
		`new Client({ address: server, rollover: 2 })`:                         "from 0 to 1",
		`new Client({ address: server, expect: ['completed', 'x'] }).get('x')`: `there is no outcome "x"`,
	} {
		b.says(script, expected)
	}
	b.js(`const client = new tftp.Client({ address: server, timeout: '20s' })`)
	b.start()
	for script, expected := range map[string]string{
		`client.get()`:                       "the name of the file is missing",
		`client.get('a\0b')`:                 "holds a NUL",
		`client.get('x'.repeat(257))`:        "has 257 bytes",
		`client.get('x', { address: 'y' })`:  "address is an option of the client",
		`client.get('x', { blksize: null })`: "must be a whole number",
		`client.get('x', 5)`:                 "options must be an object",
		`client.put('x')`:                    "the data are missing",
		`client.put('x', -1)`:                "from 0 to",
		`client.put('x', true)`:              "must be a string, an ArrayBuffer",
	} {
		b.says(script, expected)
	}
	if len(b.samples) > 0 {
		t.Error("a mistake was counted as a transfer")
	}
}

// collect gives what was counted since the last time: "metric operation outcome" and the sum.
func (b *bench) collect() map[string]float64 {
	found := make(map[string]float64)
	for _, container := range metrics.GetBufferedSamples(b.samples) {
		for _, sample := range container.GetSamples() {
			tags := sample.Tags.Map()
			if tags["scenario"] != "test" {
				b.t.Errorf("%s lost the tags of the virtual user: %v", sample.Metric.Name, tags)
			}
			key := sample.Metric.Name + " " + tags["operation"] + " " + tags["outcome"] + " " + tags["name"]
			found[strings.TrimSpace(key)] += sample.Value
		}
	}
	return found
}

func TestMetrics(t *testing.T) {
	b := newBench(t)
	b.js(`const client = new tftp.Client({ address: server, timeout: '20s' })`)
	b.start()
	b.js(`client.get('five'); client.get('six'); client.get('seven', { expect: ['completed', 'not-found'] })`)
	counted := b.collect()
	for name, expected := range map[string]float64{
		"tftp_transfers get completed":       1,
		"tftp_transfers get not-found":       2,
		"tftp_transfer_failed get completed": 0,
		"tftp_transfer_failed get not-found": 1,
		"tftp_bytes_received get completed":  5,
		"tftp_retransmissions get completed": 0,
	} {
		if got, ok := counted[name]; !ok || got != expected {
			t.Errorf("%s: %v, expected %v", name, got, expected)
		}
	}
	for _, name := range []string{"tftp_transfer_duration get completed", "tftp_time_to_first_block get completed"} {
		if counted[name] <= 0 {
			t.Errorf("%s: %v", name, counted[name])
		}
	}
	if _, ok := counted["tftp_time_to_first_block get not-found"]; ok {
		t.Error("a time to the first block, and there was none")
	}

	b.js(`client.put('up', 300, { tags: { name: 'upload' } }); client.probe('five', { tags: { name: 'kernel' } })`)
	counted = b.collect()
	if counted["tftp_bytes_sent put completed upload"] != 300 || counted["tftp_transfers probe probed kernel"] != 1 {
		t.Errorf("counted %v", counted)
	}
	if b.dialer.BytesWritten < 304 || b.dialer.BytesRead < 9 {
		t.Errorf("data_sent %d, data_received %d", b.dialer.BytesWritten, b.dialer.BytesRead)
	}
}

func TestLocalAddresses(t *testing.T) {
	b := newBench(t)
	b.js(`const client = new tftp.Client({ address: server, timeout: '20s', localAddress: '127.0.0.1-127.0.0.9,127.0.100.1' })`)
	b.start()
	b.says(`client.get('me').bytes`, "9") // the third one, 127.0.0.3
	b.says(`client.get('me', { localAddress: '127.0.100.200' }).bytes`, "13")
	b.says(`client.get('me', { localAddress: '192.0.2.1' }).outcome`, "local-error")
}

func TestEndOfTheTest(t *testing.T) {
	b := newBench(t)
	b.js(`const client = new tftp.Client({ address: server, timeout: '20s' })`)
	b.start()
	b.CancelContext()
	b.says(`client.get('five').outcome`, "interrupted")
	if len(b.collect()) > 0 {
		t.Error("a transfer that k6 cut off was counted")
	}
}

func TestImportOutsideOfInit(t *testing.T) {
	runtime := modulestest.NewRuntime(t)
	runtime.MoveToVUContext(&lib.State{})
	if runtime.VU.Runtime().Try(func() { new(Module).NewModuleInstance(runtime.VU) }) == nil {
		t.Error("no exception")
	}
}
