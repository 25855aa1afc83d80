import { describe, expect, it } from 'vitest';
import { buildRuleIndex } from './rule-index';

describe('buildRuleIndex', () => {
  it('has one index without rules for each family', () => {
    for (const family of [4, 6] as const) {
      const index = buildRuleIndex([], family);
      expect(index).toMatchObject({ family, rules: [] });
      expect(buildRuleIndex([], family)).toBe(index);
    }
  });
});
