import fc from 'fast-check';
import jsqr from 'jsqr';
import { describe, expect, it } from 'vitest';
import { qrPath } from './qr-code';

const SCALE = 4;

/** What a camera sees of the path, and reads from it. */
function read({ size, path }: ReturnType<typeof qrPath>): string | undefined {
  const width = size * SCALE;
  const pixels = new Uint8ClampedArray(width * width * 4).fill(255);
  for (const [, x, y, run] of path.matchAll(/M(\d+) (\d+)h(\d+)v1h-\3z/g)) {
    for (let dy = 0; dy < SCALE; dy += 1) {
      for (let dx = 0; dx < Number(run) * SCALE; dx += 1) {
        const at = ((Number(y) * SCALE + dy) * width + Number(x) * SCALE + dx) * 4;
        pixels.fill(0, at, at + 3);
      }
    }
  }
  return jsqr(pixels, width, width)?.data;
}

describe('a QR code', () => {
  it('reads as the address it was made from', () => {
    const address = fc.tuple(fc.emailAddress(), fc.base64String({ minLength: 32, maxLength: 32 }));
    fc.assert(
      fc.property(address, ([email, secret]) => {
        const text = `otpauth://totp/Fabric:${encodeURIComponent(email)}?secret=${secret}&issuer=Fabric&algorithm=SHA1&digits=6&period=30`;
        expect(read(qrPath(text))).toBe(text);
      }),
      { numRuns: 25 },
    );
  });
});
