import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseHypervisorLine } from './hypervisor-line';
import { parsePacketLine } from './log-line';

const EXAMPLE =
  '100 6 tap100i0-IN 20/Nov/2026:12:47:07 +0100 policy DROP: IN=fwbr100i0 OUT=fwbr100i0 PHYSIN=fwln100i0 ' +
  'PHYSOUT=tap100i0 MAC=bc:24:11:00:00:01:bc:24:11:00:00:02:08:00 SRC=10.0.0.7 DST=10.0.0.5 LEN=60 TOS=0x00 ' +
  'PREC=0x00 TTL=64 ID=34117 DF PROTO=TCP SPT=51234 DPT=23 SEQ=1 ACK=0 WINDOW=64240 SYN ';

describe('parseHypervisorLine', () => {
  it('reads verdict, packet, guest and time', () => {
    const parsed = parseHypervisorLine(EXAMPLE);
    expect(parsed).toEqual({
      time: Date.UTC(2026, 10, 20, 11, 47, 7),
      packet: {
        decision: 'drop',
        source: '10.0.0.7',
        destination: '10.0.0.5',
        protocol: 6,
        sourcePort: 51234,
        destinationPort: 23,
        icmp: null,
        bytes: 60,
        vmid: 100,
        nic: 0,
        interface: 'tap100i0',
        chain: 'tap100i0-IN',
        excerpt: expect.any(String),
      },
    });
    expect(parsed?.packet.excerpt.length).toBeLessThanOrEqual(180);
    expect(parsed?.packet.excerpt).toContain('DST=10.0.0.5');
    expect(parsed?.packet.excerpt).not.toContain('MAC=');
  });

  it('reads IPv6, behind extension headers too', () => {
    const line = (packet: string) =>
      `100 6 tap100i0-IN 20/Nov/2026:12:47:07 +0100 policy DROP: IN=fwbr100i0 OUT=fwbr100i0 PHYSIN=fwln100i0 PHYSOUT=tap100i0 ${packet} `;
    const addresses =
      'MAC=bc:24:11:00:00:01:bc:24:11:00:00:02:86:dd SRC=2001:0db8:0000:0000:0000:0000:0000:0007 DST=2001:0db8:0000:0000:0000:0000:0000:0005';
    const packet = (rest: string) => parseHypervisorLine(line(`${addresses} ${rest}`))?.packet;
    expect(packet('LEN=80 TC=0 HOPLIMIT=64 FLOWLBL=421337 PROTO=TCP SPT=51234 DPT=23 WINDOW=64800 SYN')).toMatchObject({
      decision: 'drop',
      source: '2001:db8::7',
      destination: '2001:db8::5',
      protocol: 6,
      sourcePort: 51234,
      destinationPort: 23,
      bytes: 80,
      vmid: 100,
      nic: 0,
      excerpt: expect.stringContaining('DST=2001:0db8'),
    });
    expect(packet('LEN=104 TC=0 HOPLIMIT=255 FLOWLBL=0 PROTO=ICMPv6 TYPE=128 CODE=0 ID=9 SEQ=1')).toMatchObject({
      protocol: 58,
      sourcePort: null,
      icmp: { type: 128, code: 0 },
    });
    expect(
      packet('LEN=96 TC=0 HOPLIMIT=64 FLOWLBL=0 OPT ( ) FRAG:0 INCOMPLETE ID:0000a8f2 PROTO=UDP SPT=5 DPT=53 LEN=40'),
    ).toMatchObject({
      protocol: 17,
      destinationPort: 53,
      bytes: 96,
    });
  });

  it('finds the guest of a group rule by its interface, in the direction of the chain', () => {
    const group = (direction: string, fields: string) =>
      parseHypervisorLine(
        `0 6 GROUP-drop-web-${direction} 20/Nov/2026:12:47:07 +0000 ${fields} SRC=10.0.0.7 DST=10.0.0.5 LEN=60 PROTO=TCP SPT=1 DPT=2 `,
      )?.packet;
    expect(group('IN', 'IN=fwbr101i1 OUT=fwbr101i1 PHYSIN=fwln101i1 PHYSOUT=tap101i1')).toMatchObject({
      vmid: 101,
      nic: 1,
      interface: 'tap101i1',
      decision: 'observed',
    });
    const between = 'IN=vmbr0 OUT=vmbr0 PHYSIN=tap7i0 PHYSOUT=tap8i2';
    expect(group('IN', between)).toMatchObject({ vmid: 8, nic: 2 });
    expect(group('OUT', between)).toMatchObject({ vmid: 7, nic: 0 });
  });

  it('leaves the host without guest', () => {
    const line =
      '0 6 PVEFW-HOST-IN 20/Nov/2026:12:47:07 +0000 REJECT: IN=vmbr0 SRC=10.0.0.7 DST=10.0.0.1 LEN=60 PROTO=UDP SPT=1 DPT=2 LEN=40mark=1 ';
    expect(parseHypervisorLine(line)?.packet).toMatchObject({
      vmid: null,
      interface: null,
      decision: 'reject',
      bytes: 60,
    });
  });

  it('reads a packet whatever devices the kernel has for it', () => {
    const devices = ['IN=vmbr0', 'OUT=vmbr0', 'PHYSIN=tap101i0', 'PHYSOUT=tap100i0', 'MAC=bc:24:11:00:00:01:08:00'];
    const packet = 'SRC=10.0.0.7 DST=10.0.0.5 LEN=60 TOS=0x00 PROTO=TCP SPT=1 DPT=2 SYN ';
    const header = '100 6 guest-100-in 20/Nov/2026:12:47:07 +0000';
    fc.assert(
      fc.property(fc.subarray(devices), (known) => {
        const parsed = parseHypervisorLine([header, 'DROP:', ...known, packet].join(' '))?.packet;
        expect(parsed).toMatchObject({
          decision: 'drop',
          source: '10.0.0.7',
          destination: '10.0.0.5',
          destinationPort: 2,
          bytes: 60,
          vmid: 100,
          nic: known.includes('PHYSOUT=tap100i0') ? 0 : null,
        });
      }),
    );
  });

  it('reads what the chains without input device write: outbound ones of nodes, inbound ones of nftables', () => {
    const at = '20/Nov/2026:12:47:07 +0000';
    const packet = 'SRC=10.0.0.7 DST=10.0.0.5 LEN=60 TOS=0x00 PROTO=TCP SPT=1 DPT=2 SYN ';
    const read = (start: string) => parseHypervisorLine(`${start} ${packet}`)?.packet;
    for (const [chain, text] of [
      ['PVEFW-HOST-OUT', 'policy REJECT:'],
      ['host-out', 'REJECT:'],
    ]) {
      expect(read(`0 6 ${chain} ${at} ${text} OUT=vmbr0`)).toMatchObject({ vmid: null, decision: 'reject', chain });
    }
    const group = `0 6 group-web-in ${at} DROP: OUT=vmbr0 PHYSOUT=veth100i1 MAC=bc:24:11:00:00:01:08:00`;
    expect(read(group)).toMatchObject({ vmid: 100, nic: 1, interface: 'veth100i1', decision: 'drop' });
  });

  it('passes over lines that show no packet', () => {
    for (const line of [
      '0 5 - 20/Nov/2026:12:47:07 +0100 starting pvefw logger',
      '0 6 - 20/Nov/2026:12:47:07 +0100 skipped 12 log entries (queue full)',
      '0 6 - 20/Nov/2026:12:47:07 +0100 [NEW] tcp 6 120 SYN_SENT src=10.0.0.1 dst=10.0.0.2 sport=1 dport=2',
      '100 6 tap100i0-IN 20/Nov/2026:12:47:07 +0100 DROP: IPV6 logging not implemented',
      '100 6 tap100i0-IN 20/Foo/2026:12:47:07 +0100 DROP: IN=a OUT=b SRC=10.0.0.1 DST=10.0.0.2 PROTO=TCP',
      'no content',
      '',
    ]) {
      expect(parseHypervisorLine(line)).toBeNull();
    }
  });

  it('does not trust the last word of a line cut at its maximum', () => {
    const start = '100 6 tap100i0-IN 20/Nov/2026:12:47:07 +0100 DROP: IN=fwbr100i0 OUT=fwbr100i0 SRC=10.0.0.7 ';
    const end = 'PROTO=TCP SPT=51234 DPT=2';
    const cut = `${start}DST=10.0.0.5 ${'X'.repeat(508 - start.length - end.length - 14)} ${end}`;
    expect(cut).toHaveLength(508);
    expect(parseHypervisorLine(cut)?.packet).toMatchObject({ sourcePort: 51234, destinationPort: null });
  });
});

describe('parsePacketLine', () => {
  const packet = 'IN=eth0 OUT= SRC=192.0.2.1 DST=192.0.2.2 LEN=84 PROTO=';

  it('takes the verdict only from words before the packet', () => {
    const verdict = (prefix: string) => parsePacketLine(`${prefix}${packet}47 DROP=1 ACCEPT`)?.decision;
    expect(['[UFW BLOCK] ', 'nft-drop: ', 'iptables denied: ', 'DROPPED ', 'policy DROP: '].map(verdict)).toEqual(
      Array(5).fill('drop'),
    );
    expect(['ACCEPT: ', 'allowed: '].map(verdict)).toEqual(['accept', 'accept']);
    expect(['REJECT: ', 'fw rejected '].map(verdict)).toEqual(['reject', 'reject']);
    expect(['', 'raindrops: ', 'acceptance ', 'dropbear: '].map(verdict)).toEqual(Array(4).fill('observed'));
  });

  it('reads ICMP and ignores the packet an error quotes', () => {
    const line = `${packet}ICMP TYPE=3 CODE=1 [SRC=192.0.2.9 DST=192.0.2.8 LEN=60 PROTO=UDP SPT=5 DPT=6 LEN=40 ] `;
    expect(parsePacketLine(line)).toMatchObject({
      protocol: 1,
      source: '192.0.2.1',
      sourcePort: null,
      destinationPort: null,
      icmp: { type: 3, code: 1 },
      bytes: 84,
    });
  });

  it('reads IPv6 and protocols by number', () => {
    const six =
      'DROP IN=eth0 OUT= SRC=2001:0db8:0000:0000:0000:0000:0000:0001 DST=ff02::1 LEN=72 TC=0 HOPLIMIT=255 FLOWLBL=0 PROTO=ICMPv6 TYPE=135 CODE=0 ';
    expect(parsePacketLine(six)).toMatchObject({ source: '2001:db8::1', protocol: 58, icmp: { type: 135, code: 0 } });
    expect(parsePacketLine(`${packet}132 SPT=9 DPT=10`)).toMatchObject({ protocol: 132, sourcePort: 9 });
    expect(parsePacketLine(`${packet}999`)).toBeNull();
  });

  it('never throws, and every field it gives is in range', () => {
    const word = fc.oneof(
      fc.constantFrom(
        'IN=',
        'OUT=eth0',
        'SRC=10.0.0.1',
        'DST=10.0.0.2',
        'PROTO=TCP',
        'SPT=70000',
        'DPT=443',
        'LEN=1',
        '[',
      ),
      fc.string(),
    );
    fc.assert(
      fc.property(fc.array(word), (words) => {
        const line = parsePacketLine(words.join(' '));
        if (!line) return;
        for (const port of [line.sourcePort, line.destinationPort]) {
          expect(port === null || (port >= 0 && port <= 65_535)).toBe(true);
        }
        expect(line.excerpt.length).toBeLessThanOrEqual(180);
      }),
    );
  });
});
