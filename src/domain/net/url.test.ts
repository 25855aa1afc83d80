import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatHostPort, parseHostPort } from './host-port';
import { parseApiUrl } from './url';

describe('the API address', () => {
  it.each([
    ['https://pve1.example.org:8006', 'https://pve1.example.org:8006'],
    ['https://PVE1.example.org/', 'https://pve1.example.org:8006'],
    ['pve1', 'https://pve1:8006'],
    ['https://pve1:443/api2/json/', 'https://pve1:443'],
    ['https://[2001:DB8::1]/api2/json', 'https://[2001:db8::1]:8006'],
    ['10.0.0.11:8006', 'https://10.0.0.11:8006'],
    ['  https://10.0.0.11  ', 'https://10.0.0.11:8006'],
  ])('%s is %s', (text, url) => expect(parseApiUrl(text)).toMatchObject({ url }));

  it.each([
    ['http://pve1:8006', 'https only'],
    ['https://root:secret@pve1', 'API token'],
    ['https://pve1/proxmox', 'path'],
    ['https://pve1:8006?x=1', 'query'],
    ['https://127.1', 'not a host name'],
    ['https://0x7f.1', 'not a host name'],
    ['https://2130706433', 'not a host name'],
    ['https://pve1:0', 'not a host name'],
    ['https://pve1:99999', 'not a host name'],
    ['https://-a-', 'not a host name'],
    ['https://fe80::1%eth0', 'not a host name'],
    ['', 'Enter an address'],
  ])('%s is refused with a reason', (text, reason) => {
    expect(parseApiUrl(text)).toEqual({ reason: expect.stringContaining(reason) });
  });
});

describe('host and port', () => {
  it('read back what they print', () => {
    const host = fc.oneof(fc.ipV4(), fc.ipV6(), fc.domain());
    fc.assert(
      fc.property(host, fc.option(fc.integer({ min: 1, max: 65535 })), (name, port) => {
        const parsed = parseHostPort(formatHostPort(name, port));
        fc.pre(parsed !== null);
        expect(parsed?.port).toBe(port);
        expect(parsed && parseHostPort(formatHostPort(parsed.host, parsed.port))).toEqual(parsed);
      }),
    );
  });
});
