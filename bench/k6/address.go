package k6tftp

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strconv"

	"go.k6.io/k6/lib"
)

const tftpPort = 69

// splitAddress takes `host`, `host:port` or `[v6]:port`.
func splitAddress(address string) (host string, port uint16, err error) {
	if ip, err := netip.ParseAddr(address); err == nil {
		return ip.String(), tftpPort, nil
	}
	host, text, err := net.SplitHostPort(address)
	if err != nil {
		if host, text, err = net.SplitHostPort(address + ":" + strconv.Itoa(tftpPort)); err != nil {
			return "", 0, fmt.Errorf("address %q is not host:port", address)
		}
	}
	number, err := strconv.ParseUint(text, 10, 16)
	if host == "" || err != nil || number == 0 {
		return "", 0, fmt.Errorf("address %q is not host:port", address)
	}
	return host, uint16(number), nil
}

// resolve looks the server up, once for each client. k6's own resolver knows its options `hosts`, `dns`,
// `blacklistIPs` and `blockHostnames`.
func (c *client) resolve(state *lib.State) error {
	if c.server.IsValid() {
		return nil
	}
	host, port, err := splitAddress(c.address)
	if err != nil {
		return err
	}
	ip, err := lookUp(c.vu.Context(), state, host)
	if err != nil {
		return fmt.Errorf("address %q: %w", c.address, err)
	}
	c.server = netip.AddrPortFrom(ip.Unmap(), port)
	return nil
}

func lookUp(ctx context.Context, state *lib.State, host string) (netip.Addr, error) {
	// The resolver knows no zones, and link-local addresses need theirs.
	if ip, err := netip.ParseAddr(host); err == nil && ip.Zone() != "" {
		return ip, nil
	}
	if resolver := state.GetAddrResolver(); resolver != nil {
		found, _, err := resolver.ResolveAddr(host)
		if err != nil {
			return netip.Addr{}, err
		}
		if ip, ok := netip.AddrFromSlice(found); ok {
			return ip, nil
		}
	}
	found, err := net.DefaultResolver.LookupNetIP(ctx, "ip", host)
	if err != nil {
		return netip.Addr{}, err
	}
	if len(found) == 0 {
		return netip.Addr{}, errors.New("it has no address")
	}
	return found[0], nil
}

// localAddress picks the address of a virtual user: from the script, else from k6's own --local-ips.
func (s *settings) localAddress(state *lib.State) netip.Addr {
	pool := s.local
	if pool == nil && state.Options.LocalIPs.Valid {
		pool = state.Options.LocalIPs.Pool
	}
	if pool == nil {
		return netip.Addr{}
	}
	ip, _ := netip.AddrFromSlice(pool.GetIP(max(state.VUIDGlobal, 1) - 1))
	return ip.Unmap()
}
