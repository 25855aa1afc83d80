import { describe, expect, it } from 'vitest';
import { addRow, buildCaptureSnapshot, type CapturedRow } from '../../test/capture-snapshot';
import { toCaptureCandidate } from '../flows/capture-flows';
import { Conversations } from './conversations';
import { FLOW_FLAGS } from './ebpf/layout';

const { syn, ack, fin, rst, opened, answered } = FLOW_FLAGS;
const request: CapturedRow = {
  source: '10.0.0.1',
  destination: '10.0.0.2',
  protocol: 6,
  sourcePort: 51234,
  destinationPort: 443,
  ifindex: 1,
  packets: 5,
  bytes: 500,
};
const answer: CapturedRow = {
  ...request,
  source: '10.0.0.2',
  destination: '10.0.0.1',
  sourcePort: 443,
  destinationPort: 51234,
  isFromGuest: false,
};

function buildFlows(...rows: CapturedRow[]) {
  const snapshot = buildCaptureSnapshot(rows);
  return Array.from({ length: snapshot.conversations.size }, (_, i) => toCaptureCandidate(snapshot, i).flow);
}

describe('Conversations', () => {
  it('counts a packet that crosses several interfaces once', () => {
    // Guest 5 to guest 3 through the routing guest 2; the last hop lost a packet.
    const snapshot = buildCaptureSnapshot([
      { ...request, ifindex: 2, isFromGuest: false, first: 1001 },
      { ...request, ifindex: 2, first: 1002 },
      { ...request, ifindex: 3, isFromGuest: false, packets: 4, bytes: 400, first: 1003 },
      { ...request, ifindex: 5, first: 1000 },
    ]);
    expect(snapshot.conversations.totals).toEqual({ flows: 1, packets: 5, bytes: 500 });
    expect(toCaptureCandidate(snapshot, 0).flow).toMatchObject({
      packets: 5,
      bytes: 500,
      vmid: 105,
      interface: 'tap105i0',
    });
  });

  it('attributes what comes from elsewhere to the guest that receives it', () => {
    expect(buildFlows({ ...request, ifindex: 4, isFromGuest: false })[0]).toMatchObject({ vmid: 104 });
  });

  it('names the state of a TCP connection and its opener from both directions', () => {
    const state = (own: number, other: number | null) => {
      const rows = [{ ...request, flags: own }, ...(other === null ? [] : [{ ...answer, flags: other }])];
      const [flow] = buildFlows(...rows);
      return [flow?.state, flow?.initiator];
    };
    expect(state(syn | opened, null)).toEqual(['SYN_SENT', 'source']);
    expect(state(syn | opened, syn | ack | answered)).toEqual(['SYN_RECV', 'source']);
    expect(state(syn | opened | ack, syn | ack | answered)).toEqual(['ESTABLISHED', 'source']);
    expect(state(syn | ack | answered, syn | opened | ack)).toEqual(['ESTABLISHED', 'destination']);
    expect(state(ack, ack)).toEqual(['ESTABLISHED', undefined]);
    expect(state(syn | opened | ack | fin, syn | ack | answered)).toEqual(['FIN_WAIT', 'source']);
    expect(state(syn | opened | ack | fin, syn | ack | answered | fin)).toEqual(['TIME_WAIT', 'source']);
    expect(state(syn | opened, rst | ack)).toEqual(['CLOSE', 'source']);
  });

  it('tells answered UDP from unanswered, and keeps ICMP without state', () => {
    expect(buildFlows({ ...request, protocol: 17 })[0]?.state).toBe('UNREPLIED');
    expect(buildFlows({ ...request, protocol: 17 }, { ...answer, protocol: 17 })[0]?.state).toBe('REPLIED');
    const ping = { source: '10.0.0.1', destination: '10.0.0.2', protocol: 1, ifindex: 1, packets: 1, bytes: 98 };
    expect(buildFlows({ ...ping, icmp: { type: 3, code: 1 } })[0]).toMatchObject({
      state: null,
      icmp_type: 3,
      icmp_code: 1,
      source_port: null,
      destination_port: null,
    });
  });

  it('leaves out what had no packets in this interval', () => {
    const { table } = buildCaptureSnapshot([request, answer]);
    table.startInterval();
    addRow(table, answer);
    const conversations = new Conversations(table);
    expect(conversations.totals).toEqual({ flows: 1, packets: 5, bytes: 500 });
    expect(table.packets[conversations.counterRows[0] as number]).toBe(10);
  });
});
