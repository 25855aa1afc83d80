import { createServer } from 'node:net';
import type { SMTPServerOptions } from 'smtp-server';
import { afterEach, describe, expect, it } from 'vitest';
import { namedLeaf } from '../hypervisor/pve/testing/named-leaf.fixture';
import { createAddressGuard } from '../net/address-guard';
import { type Email, type SmtpServer, sendEmail } from './send-email';
import { startSmtpReceiver } from './smtp-receiver.fixture';

const guard = createAddressGuard(['127.0.0.0/8']);
const { caPem, leaf } = namedLeaf('127.0.0.1', 'localhost');
const tls = { key: leaf.keyPem, cert: leaf.certPem };
const email: Email = {
  from: 'fabric@example.org',
  to: ['ops@example.org', 'night@example.org'],
  subject: '[Fabric] Agent of pve-1 is silent – ünïcode',
  text: 'No heartbeat.\n.\nA line with one full stop ends no mail.\n',
  delivery_id: '0192f0c1-7a3b-7c44-9f00-000000000001',
};
const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

async function receiver(options: Partial<SMTPServerOptions> = {}) {
  const started = await startSmtpReceiver({ ...tls, ...options });
  ends.push(started.close);
  const at = (more: Partial<SmtpServer> = {}): SmtpServer => ({
    host: '127.0.0.1',
    port: started.port,
    security: 'none',
    credentials: null,
    guard,
    timeoutMs: 3_000,
    ...more,
  });
  return { ...started, at };
}

describe('sendEmail', () => {
  it('hands one mail over for all recipients', async () => {
    const { at, mails } = await receiver();
    expect(await sendEmail(at(), email)).toEqual([]);
    expect(mails).toHaveLength(1);
    expect(mails[0]).toMatchObject({ from: 'fabric@example.org', to: email.to, secure: false, user: null });
    const raw = mails[0]?.raw ?? '';
    expect(raw).toContain('Message-ID: <0192f0c1-7a3b-7c44-9f00-000000000001@fabric.invalid>');
    expect(raw).toContain('Auto-Submitted: auto-generated');
    expect(raw).toContain('A line with one full stop ends no mail.');
  });

  it('insists on STARTTLS with a certificate that is believed, and signs in only then', async () => {
    const { at, mails } = await receiver({ ...tls, authOptional: false });
    const credentials = { user: 'fabric', password: 'right' };
    await sendEmail(at({ security: 'starttls', ca: caPem, credentials }), email);
    expect(mails).toMatchObject([{ secure: true, user: 'fabric' }]);
    await expect(sendEmail(at({ security: 'starttls', credentials }), email)).rejects.toMatchObject({ retry: true });
    expect(mails).toHaveLength(1);
  });

  it('sends nothing to a server that has no STARTTLS', async () => {
    const { at, mails } = await receiver({ hideSTARTTLS: true, disabledCommands: ['STARTTLS'] });
    await expect(sendEmail(at({ security: 'starttls', ca: caPem }), email)).rejects.toMatchObject({
      name: 'DeliveryError',
    });
    expect(mails).toEqual([]);
  });

  it('uses TLS from the first byte when configured to', async () => {
    const { at, mails } = await receiver({ ...tls, secure: true });
    await sendEmail(at({ security: 'tls', ca: caPem }), email);
    expect(mails).toMatchObject([{ secure: true }]);
    await expect(sendEmail(at({ security: 'tls' }), email)).rejects.toMatchObject({ retry: true });
  });

  it('names what is wrong with the sign-in, without the password', async () => {
    const { at } = await receiver({ ...tls, authOptional: false });
    const wrong = { user: 'fabric', password: 'not-the-right-one' };
    const error = await sendEmail(at({ security: 'starttls', ca: caPem, credentials: wrong }), email).catch((e) => e);
    expect(error).toMatchObject({ status: 535, message: expect.stringContaining('Check the user name and password') });
    expect(error.message).not.toContain('not-the-right-one');
  });

  it('tells recipients that were refused while others were taken', async () => {
    const { at, mails } = await receiver({
      onRcptTo: ({ address }, _session, callback) =>
        callback(address.startsWith('night') ? Object.assign(new Error('unknown'), { responseCode: 550 }) : null),
    });
    expect(await sendEmail(at(), email)).toEqual([{ recipient: 'night@example.org', status: 550 }]);
    expect(mails).toMatchObject([{ to: ['ops@example.org'] }]);
  });

  it.each([
    [451, true],
    [550, false],
  ])('takes %i for a failure (another try: %s)', async (responseCode, retry) => {
    const { at } = await receiver({
      onMailFrom: (_address, _session, callback) => callback(Object.assign(new Error('no'), { responseCode })),
    });
    await expect(sendEmail(at(), email)).rejects.toMatchObject({ retry, status: responseCode });
  });

  it('fails with a retryable error when the server does not answer or does not exist', async () => {
    const silent = createServer((socket) => void socket.on('error', () => {}));
    await new Promise<void>((resolve) => void silent.listen(0, '127.0.0.1', () => resolve()));
    const { port } = silent.address() as { port: number };
    const { at } = await receiver();
    await expect(sendEmail(at({ port, timeoutMs: 150 }), email)).rejects.toMatchObject({ retry: true });
    await new Promise<void>((resolve) => void silent.close(() => resolve()));
    await expect(sendEmail(at({ port }), email)).rejects.toMatchObject({ retry: true });
  });

  it('connects to nothing that the guard refuses, by address or by name', async () => {
    const { at, mails } = await receiver();
    for (const host of ['127.0.0.1', 'localhost']) {
      await expect(sendEmail(at({ host, guard: createAddressGuard([]) }), email)).rejects.toMatchObject({
        retry: false,
        message: expect.stringContaining('FABRIC_ALLOW_PRIVATE_TARGETS'),
      });
    }
    expect(mails).toEqual([]);
  });
});
