import fc from 'fast-check';
import { expect, test } from 'vitest';
import { safeReturnPath } from './safe-return-path';

test.each([
  ['/clusters', '/clusters'],
  ['/workloads?q=a%20b&sort=-name#x', '/workloads?q=a%20b&sort=-name#x'],
  ['/', '/'],
])('%s is kept', (given, kept) => expect(safeReturnPath(given)).toBe(kept));

test.each([
  '',
  null,
  undefined,
  'clusters',
  'https://evil.example/',
  '//evil.example/',
  '/\\evil.example/',
  '/\t/evil.example',
  '/x/..//evil.example',
  'javascript:alert(1)',
  '/login?next=/clusters',
  '/setup',
  '/api/v1/auth/logout',
  `/${'a'.repeat(3000)}`,
])('%s is refused', (given) => expect(safeReturnPath(given)).toBeNull());

test('each permitted path stays on this origin', () => {
  const origin = 'https://fabric.example';
  const odd = fc.string({
    unit: fc.constantFrom('/', '\\', '.', ':', '@', '%', '2', 'f', 'e', '?', '#', '\t', ' ', 'x'),
  });
  fc.assert(
    fc.property(odd, (text) => {
      const kept = safeReturnPath(`/${text}`);
      if (kept !== null) {
        expect(new URL(kept, origin).origin).toBe(origin);
        expect(kept.startsWith('//')).toBe(false);
      }
    }),
  );
});
