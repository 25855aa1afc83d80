import { renderToStaticMarkup } from 'react-dom/server';
import { describe, expect, it } from 'vitest';
import { type Confidence, EVIDENCE_DETAILS, EVIDENCE_LEVELS, EVIDENCE_REASONS } from '@/domain/impact/evidence';
import { formatDateTime } from '@/lib/format';
import { EvidenceContent } from './evidence-content';

const time = { since: '2026-11-24T06:00:00.000Z', until: '2026-11-24T07:30:00.000Z' };
const visibility = (values: Partial<Confidence>): Confidence => ({
  level: 'partial',
  score: 0.5,
  parts: { covered: 0.5, delivered: 1, captured: 1, logged: 1 },
  reasons: [],
  reasons_total: 0,
  ...values,
});
const render = (values: Partial<Confidence>) =>
  renderToStaticMarkup(<EvidenceContent visibility={visibility(values)} />);

describe('EvidenceContent', () => {
  it('shows only full evidence as good, and no evidence as unknown', () => {
    const tone = (level: (typeof EVIDENCE_LEVELS)[number]) => /data-tone="(\w+)"/.exec(render({ level }))?.[1];
    expect(EVIDENCE_LEVELS.map(tone)).toEqual(['ok', 'warn', 'unknown']);
  });

  it('shows unknown shares as unknown, not as zero', () => {
    const parts = { covered: 0, delivered: null, captured: null, logged: null };
    const page = render({ level: 'none', score: 0, parts });
    expect(page.match(/Unknown/g)).toHaveLength(3);
    expect(page.match(/>0 %</g)).toHaveLength(2);
  });

  it('lists each reason with its own text, start, duration and missing share', () => {
    const details = EVIDENCE_DETAILS.map((detail) => ({ kind: 'gap' as const, ...time, detail, lost_share: null }));
    const kinds = EVIDENCE_REASONS.map((kind) => ({ kind, ...time, detail: null, lost_share: 0.25 }));
    const page = render({ reasons: [...details, ...kinds], reasons_total: 200 });
    const texts = [...page.matchAll(/<tr class="border-t"><td[^>]*>([^<]+)<\/td>/g)].map(([, text]) => text);
    // A gap without a detail is one without heartbeats.
    expect(new Set(texts).size).toBe(EVIDENCE_DETAILS.length + EVIDENCE_REASONS.length - 1);
    expect(page).toContain(formatDateTime(time.since));
    expect(page).toContain('1 h 30 min');
    expect(page).toContain('25 %');
    expect(page).toContain('The largest 14 of 200.');
  });
});
