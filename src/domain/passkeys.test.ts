import { describe, expect, it } from 'vitest';
import { parsePasskeySite } from './passkeys';

describe('parsePasskeySite', () => {
  it('takes host name and origin of the public URL', () => {
    const site = (url: string) => parsePasskeySite(url);
    expect(site('https://fabric.example.org/console')).toEqual({
      ...{ rp_id: 'fabric.example.org', origin: 'https://fabric.example.org' },
    });
    expect(site('https://FABRIC:8443')).toEqual({ rp_id: 'fabric', origin: 'https://fabric:8443' });
    expect(site('http://localhost:3000')).toEqual({ rp_id: 'localhost', origin: 'http://localhost:3000' });
    expect(site('http://fabric.localhost')).toMatchObject({ rp_id: 'fabric.localhost' });
  });

  it('names what browsers do not accept', () => {
    const problems = [
      [null, 'no_public_url'],
      ['', 'no_public_url'],
      ['fabric', 'no_public_url'],
      ['http://fabric.example.org', 'not_https'],
      ['http://notlocalhost', 'not_https'],
      ['http://localhost.example.org', 'not_https'],
      ['https://192.0.2.1:8443', 'ip_address'],
      ['http://127.0.0.1:3000', 'ip_address'],
      ['https://[2001:db8::1]', 'ip_address'],
      // What URL parsers read as an address.
      ['https://3221225985', 'ip_address'],
    ] as const;
    for (const [url, problem] of problems) expect(parsePasskeySite(url), String(url)).toEqual({ problem });
  });
});
