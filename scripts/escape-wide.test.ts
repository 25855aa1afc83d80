import { describe, expect, it } from 'vitest';
// @ts-expect-error the scripts are plain JavaScript: they run before anything is installed
import { escapeWide } from './escape-wide.mjs';

const program = '// a → b\n(([text]) => text)`→ ü 𝄞 \\→ \\\\→` + "·…"';

describe('escapeWide', () => {
  it('leaves no character that takes two bytes, on the same lines', () => {
    const escaped = escapeWide(program);
    expect(escaped).not.toMatch(/[\u0100-\uffff]/);
    expect(escaped.split('\n')).toHaveLength(program.split('\n').length);
  });

  it('keeps what strings and tagged templates mean', () => {
    // biome-ignore lint/security/noGlobalEval: a program is what is tested.
    expect(globalThis.eval(escapeWide(program))).toBe('→ ü 𝄞 → \\→·…');
  });
});
