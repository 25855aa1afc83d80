import { describe, expect, it } from 'vitest';
import { type Consent, sentImpact } from './apply-impact';
import { createImpact } from './impact.fixture';

const sent = (impact: Parameters<typeof sentImpact>[0], ...consent: Consent[]) => sentImpact(impact, new Set(consent));
const { id } = createImpact();

describe('sentImpact', () => {
  it('names a finished impact that blocks nothing, without any question', () => {
    expect(sent(createImpact())).toEqual({ impact_id: id });
  });

  it('acknowledges the number of blocked conversations only when the user did', () => {
    const impact = createImpact({ totals: { newly_blocked: 3 } });
    expect(sent(impact)).toBeNull();
    expect(sent(impact, 'without')).toBeNull();
    expect(sent(impact, 'acknowledged')).toEqual({ impact_id: id, acknowledge_newly_blocked: 3 });
  });

  it('names no impact that is missing, running, failed or outdated, and asks first', () => {
    for (const impact of [
      undefined,
      createImpact({ status: 'running' }),
      createImpact({ status: 'failed' }),
      createImpact({ outdated: true }),
    ]) {
      expect(sent(impact)).toBeNull();
      expect(sent(impact, 'acknowledged')).toBeNull();
      expect(sent(impact, 'without')).toEqual({});
    }
  });
});
