import { describe, expect, it } from 'vitest';
import { impactOf } from '../../shared/impact/impact.fixture';
import { type Consent, sentImpact } from './apply-impact';

const sent = (impact: Parameters<typeof sentImpact>[0], ...consent: Consent[]) => sentImpact(impact, new Set(consent));
const { id } = impactOf();

describe('sentImpact', () => {
  it('names a finished impact that blocks nothing, without any question', () => {
    expect(sent(impactOf())).toEqual({ impact_id: id });
  });

  it('acknowledges the number of blocked conversations only when the user did', () => {
    const impact = impactOf({ totals: { newly_blocked: 3 } });
    expect(sent(impact)).toBeNull();
    expect(sent(impact, 'without')).toBeNull();
    expect(sent(impact, 'acknowledged')).toEqual({ impact_id: id, acknowledge_newly_blocked: 3 });
  });

  it('names no impact that is missing, running, failed or outdated, and asks first', () => {
    for (const impact of [
      undefined,
      impactOf({ status: 'running' }),
      impactOf({ status: 'failed' }),
      impactOf({ outdated: true }),
    ]) {
      expect(sent(impact)).toBeNull();
      expect(sent(impact, 'acknowledged')).toBeNull();
      expect(sent(impact, 'without')).toEqual({});
    }
  });
});
