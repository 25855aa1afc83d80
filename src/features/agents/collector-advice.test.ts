import { describe, expect, it } from 'vitest';
import { english } from '@/lib/i18n/translator';
import { collectorAdvice } from './collector-advice';

const counted = { nf_conntrack_acct: true };
const NAMES = ['packet_capture', 'conntrack', 'kernel_log', 'firewall_log', 'of_a_newer_agent'];

describe('collectorAdvice', () => {
  it.each(NAMES)('has a remedy for each state in which %s lacks something', (name) => {
    for (const state of ['degraded', 'unavailable']) {
      expect(collectorAdvice(english, { name, state }, counted), state).not.toEqual([]);
    }
    expect(collectorAdvice(english, { name, state: 'active' }, counted)).toEqual([]);
    expect(collectorAdvice(english, { name, state: 'off' }, counted)).toEqual([]);
  });

  it('tells a flood from a busy node', () => {
    const degraded = { name: 'packet_capture', state: 'degraded', detail: 'ebpf on 3 interfaces' };
    expect(collectorAdvice(english, { ...degraded, counts: { table_full_packets: 5 } }, counted)).toMatchObject([
      { text: expect.stringContaining('flood') },
    ]);
    expect(collectorAdvice(english, { ...degraded, counts: { kernel_drops: 5 } }, counted)).toMatchObject([
      { text: expect.stringContaining('too busy') },
    ]);
  });

  it('speaks up about what works, but not as well as it could', () => {
    const capture = (detail: string) =>
      collectorAdvice(english, { name: 'packet_capture', state: 'active', detail }, counted);
    expect(capture('ebpf on 0 interfaces')).toMatchObject([{ command: 'ip -br link' }]);
    expect(capture('ebpf on 10 interfaces')).toEqual([]);
    expect(capture('ring on 2 interfaces; bpf: EPERM')).toHaveLength(1);
    expect(
      collectorAdvice(english, { name: 'conntrack', state: 'active' }, { nf_conntrack_acct: false }),
    ).toMatchObject([{ command: expect.stringContaining('nf_conntrack_acct=1') }]);
    expect(collectorAdvice(english, { name: 'conntrack', state: 'active' }, { nf_conntrack_acct: null })).toEqual([]);
  });

  it('does not send people to change groups when there is no log to read', () => {
    const log = (detail: string) =>
      collectorAdvice(english, { name: 'firewall_log', state: 'unavailable', detail }, counted)[0];
    expect(log('/var/log/pve-firewall.log does not exist')?.command).toBeUndefined();
    expect(log('EACCES: permission denied')?.command).toContain('usermod -aG adm');
  });
});
