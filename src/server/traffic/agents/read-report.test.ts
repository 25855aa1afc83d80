import { describe, expect, it } from 'vitest';
import { readReport } from './read-report';

describe('readReport', () => {
  const firewall = {
    implementation: 'iptables',
    service_running: null,
    cluster_enabled: true,
    rules_loaded: false,
    guest_chains: 3,
  };

  it('reads each part of a heartbeat by itself', () => {
    const payload = { flow_diagnostics: { collectors: 'none' }, flow_count: 7, interface_count: -1 };
    expect(readReport({ payload, firewall_status: firewall })).toEqual({
      diagnostics: null,
      firewall,
      flow_count: 7,
      interface_count: null,
    });
  });

  it('takes the absence of a heartbeat, or of a part, for not knowing', () => {
    const nothing = { diagnostics: null, firewall: null, flow_count: null, interface_count: null };
    expect(readReport({ payload: null, firewall_status: null })).toEqual(nothing);
    expect(readReport({ payload: { flow_diagnostics: null }, firewall_status: { implementation: 'ipfw' } })).toEqual(
      nothing,
    );
  });
});
