import fc from 'fast-check';
import { expect, it } from 'vitest';
import { renderInstaller } from './installer';

const TEMPLATE = "BASE='@FABRIC_BASE_URL@'\nMANIFEST='@FABRIC_MANIFEST@'\n";
const SUM = 'a'.repeat(64);

it('fills in address and checksums', () => {
  expect(renderInstaller(TEMPLATE, 'https://fabric.example:8443/base', [{ name: 'a.cjs', sha256: SUM }])).toBe(
    `BASE='https://fabric.example:8443/base'\nMANIFEST='${SUM}  a.cjs'\n`,
  );
  for (const url of ['http://10.0.0.1', 'https://[2001:db8::1]:3000', 'https://a']) {
    expect(renderInstaller(TEMPLATE, url, [])).toContain(`'${url}'`);
  }
});

it('refuses whatever could leave its quotes', () => {
  const unsafe = [
    "https://x'; reboot; '",
    'https://x/$(reboot)',
    'ftp://x',
    'https://x\nreboot',
    'https://x/',
    'https://',
    'https://a b',
    'https://x/`id`',
  ];
  for (const url of unsafe) expect(() => renderInstaller(TEMPLATE, url, [])).toThrow();
  for (const name of ["a'b", '../x', 'a b', '$x', '']) {
    expect(() => renderInstaller(TEMPLATE, 'https://x', [{ name, sha256: SUM }])).toThrow();
  }
  expect(() => renderInstaller(TEMPLATE, 'https://x', [{ name: 'a', sha256: 'b' }])).toThrow();
});

it('never renders a character that a shell reads', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.webUrl(),
        fc.string().map((text) => `https://${text}`),
      ),
      (url) => {
        let script: string;
        try {
          script = renderInstaller('@FABRIC_BASE_URL@', url, []);
        } catch {
          return;
        }
        expect(script).toMatch(/^[A-Za-z0-9:/._~[\]-]+$/);
      },
    ),
  );
});
