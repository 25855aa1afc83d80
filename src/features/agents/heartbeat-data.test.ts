import { describe, expect, it } from 'vitest';
import { lastDay, readPayload } from './heartbeat-data';

describe('read payload', () => {
  const firewall = {
    implementation: 'iptables',
    service_running: null,
    cluster_enabled: true,
    rules_loaded: false,
    guest_chains: 3,
  };

  it('reads each part of a heartbeat by itself', () => {
    const payload = { flow_diagnostics: { collectors: 'none' }, flow_count: 7, interface_count: -1 };
    expect(readPayload({ payload, firewall_status: firewall })).toEqual({
      diagnostics: null,
      firewall,
      flow_count: 7,
      interface_count: null,
    });
  });

  it('takes the absence of a heartbeat, or of a part, for not knowing', () => {
    const nothing = { diagnostics: null, firewall: null, flow_count: null, interface_count: null };
    expect(readPayload({ payload: null, firewall_status: null })).toEqual(nothing);
    expect(readPayload({ payload: { flow_diagnostics: null }, firewall_status: { implementation: 'ipfw' } })).toEqual(
      nothing,
    );
  });
});

describe('heartbeat hours', () => {
  it('shows every hour of the last day, also those without heartbeats', () => {
    const counts = { accepted: 0, updated: 0, rejected: 0 };
    const now = Date.parse('2026-06-02T10:30:00Z');
    const { starts, heartbeats } = lastDay(
      [
        { hour_at: '2026-06-01T11:00:00Z', heartbeats: 7, ...counts },
        { hour_at: '2026-06-02T10:00:00Z', heartbeats: 60, ...counts },
        // Older than the window: the last day began in the middle of this hour.
        { hour_at: '2026-06-01T10:00:00Z', heartbeats: 3, ...counts },
      ],
      now,
    );
    expect(starts).toHaveLength(24);
    expect(new Date(starts[0] ?? 0).toISOString()).toBe('2026-06-01T11:00:00.000Z');
    expect(heartbeats).toEqual([7, ...Array(22).fill(0), 60]);
  });
});
