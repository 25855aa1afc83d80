import type { LookupAddress } from 'node:dns';
import { describe, expect, it } from 'vitest';
import { apiPath } from '../hypervisor/pve/http/encode';
import { sendJson, serveApi } from '../hypervisor/pve/testing/api-server.fixture';
import { makeAccess, testClient } from '../hypervisor/pve/testing/client.fixture';
import { createAddressGuard, guardedLookup, RefusedAddressError } from './address-guard';

describe('outgoing addresses', () => {
  const guard = createAddressGuard([]);

  it.each([
    '127.0.0.1',
    '127.8.8.8',
    '0.0.0.0',
    '169.254.169.254',
    '100.100.100.200',
    '168.63.129.16',
    '224.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    'fe80::1',
    'fe80::1%eth0',
    'febf::1',
    'ff02::1',
    'fd00:ec2::254',
    'fec0::1',
    '::ffff:127.0.0.1',
    '::ffff:169.254.169.254',
    '::ffff:7f00:1',
    '::127.0.0.1',
    '::ffff:0:127.0.0.1',
    '64:ff9b::169.254.169.254',
    '2002:7f00:1::',
    '2002:a9fe:a9fe::1',
    'not-an-address',
    '127.1',
  ])('%s is refused', (address) => expect(guard.refusal(address)).toEqual(expect.any(String)));

  it.each([
    '10.0.0.1',
    '172.16.5.4',
    '192.168.1.1',
    '100.64.0.1',
    '8.8.8.8',
    'fd12:3456::1',
    '2001:db8::1',
    '::ffff:10.0.0.1',
    '64:ff9b::808:808',
  ])('%s is allowed', (address) => expect(guard.refusal(address)).toBeNull());

  it('pass when the operator names their range, and only in that range', () => {
    const open = createAddressGuard(['127.0.0.0/8', '::1/128']);
    expect(['127.0.0.1', '::1', '::ffff:127.0.0.1'].map(open.refusal)).toEqual([null, null, null]);
    expect(open.refusal('169.254.169.254')).toBe('link-local, cloud metadata');
  });
});

type Resolve = Parameters<typeof guardedLookup>[1];
const createLookup = (...addresses: string[]) =>
  ((_host: string, _options: object, callback: (e: null, a: LookupAddress[]) => void) =>
    callback(
      null,
      addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    )) as unknown as Resolve;

const runLookup = (resolve: Resolve, all: boolean) =>
  new Promise((done, failed) => {
    guardedLookup(createAddressGuard([]), resolve)('name.test', { all }, (error, address, family) =>
      error ? failed(error) : done(all ? address : [address, family]),
    );
  });

describe('names', () => {
  it('lead only to addresses that may be connected to', async () => {
    const mixed = createLookup('127.0.0.1', '10.0.0.5', '::1', 'fd00::5');
    expect(await runLookup(mixed, true)).toEqual([
      { address: '10.0.0.5', family: 4 },
      { address: 'fd00::5', family: 6 },
    ]);
    expect(await runLookup(mixed, false)).toEqual(['10.0.0.5', 4]);
  });

  it('fail when they resolve to internal addresses only, and the error names the address', async () => {
    await expect(runLookup(createLookup('::ffff:169.254.169.254'), true)).rejects.toBeInstanceOf(RefusedAddressError);
  });
});

describe('a client without permission for loopback', () => {
  it.each(['127.0.0.1', 'localhost'])('does not connect to %s', async (host) => {
    const server = await serveApi((_, response) => sendJson(response, { data: 1 }));
    const client = testClient(makeAccess([{ url: `https://${host}:${server.port}` }]), { allowTargets: [] });
    await expect(client.get(apiPath`/version`)).rejects.toMatchObject({
      code: 'target_refused',
      remedy: expect.stringContaining('FABRIC_ALLOW_PRIVATE_TARGETS'),
    });
    expect(server.connections()).toBe(0);
  });

  it('does not follow a redirect to it', async () => {
    const secret = await serveApi((_, response) => sendJson(response, { data: 'secret' }));
    const server = await serveApi(
      (_, response) => void response.writeHead(307, { Location: `${secret.url}/api2/json/version` }).end(),
    );
    await expect(testClient(makeAccess([server])).get(apiPath`/version`)).rejects.toMatchObject({
      code: 'bad_answer',
      message: expect.stringContaining('redirects'),
    });
    expect(secret.requests).toEqual([]);
  });
});
