import { describe, expect, it } from 'vitest';
import { ESCAPE_REASONS } from '../choices';
import { type CertainFilter, classifyEscape, type EscapeCandidate, getEscapeFix } from './escaped';
import { getDetail, LINK_DETAIL_NAMES } from './link-details';

const at = (seconds: number) => new Date(Date.UTC(2026, 0, 1) + seconds * 1000).toISOString();
const FILTER: CertainFilter = { filter_hash: 'a', changed_at: at(1000), read_at: at(2000) };
/** Rules are live 20 s after the edit was read. */
const FOUND: EscapeCandidate = {
  filter_hash: 'a',
  first_seen_at: at(1500),
  last_seen_at: at(1510),
  start_known: true,
  watched_since: at(0),
  found_at: at(1560),
  broken_link: null,
  log_accepted: false,
};
const classify = (found: Partial<EscapeCandidate> = {}, filter: Partial<CertainFilter> | null = {}) =>
  classifyEscape({ ...FOUND, ...found }, filter && { ...FILTER, ...filter });

describe('classifyEscape', () => {
  it.each<[string, Partial<EscapeCandidate>, string]>([
    ['began under the rules', {}, 'not_explained'],
    ['began right when they were live', { first_seen_at: at(1020) }, 'not_explained'],
    ['began while the node compiled', { first_seen_at: at(1019) }, 'older_connection'],
    ['began long before', { first_seen_at: at(10) }, 'older_connection'],
    ['was over when the rules were live', { first_seen_at: at(10), last_seen_at: at(1020) }, 'none'],
    ['continued a second longer', { first_seen_at: at(10), last_seen_at: at(1021) }, 'older_connection'],
    ['passed by a broken link', { broken_link: 'nic_flag' }, 'broken_link'],
    ['is accepted by the log', { log_accepted: true }, 'log_disagrees'],
    ['has both explanations', { broken_link: 'nic_flag', log_accepted: true }, 'broken_link'],
    ['is older, and a link is broken', { first_seen_at: at(10), broken_link: 'nic_flag' }, 'older_connection'],
    ['began after they were last read', { first_seen_at: at(2001), last_seen_at: at(2002) }, 'pending'],
    ['began when they were last read', { first_seen_at: at(2000), last_seen_at: at(2002) }, 'not_explained'],
    ['began unseen on a node that was watched before', { start_known: false, watched_since: at(999) }, 'not_explained'],
    ['began unseen on a node that was not', { start_known: false, watched_since: at(1000) }, 'older_connection'],
  ])('returns for one that %s: %s', (_case, found, outcome) => {
    expect(classify(found)).toBe(outcome);
  });

  it('never decides by rules that may not have been live', () => {
    expect(classify({}, null)).toBe('pending');
    expect(classify({}, { filter_hash: 'b', read_at: at(1561) })).toBe('none');
    expect(classify({}, { filter_hash: 'b', read_at: at(1560) })).toBe('pending');
  });
});

describe('getEscapeFix', () => {
  it('returns what to do for every reason, and every broken link', () => {
    for (const reason of ESCAPE_REASONS.filter((one) => one !== 'broken_link')) {
      expect(getEscapeFix(reason, null)).not.toBeNull();
    }
    const broken = LINK_DETAIL_NAMES.filter((name) => getDetail(name).state === 'broken');
    expect(broken.filter((name) => getEscapeFix('broken_link', name) !== getDetail(name).fix)).toEqual([]);
    expect(broken.map((name) => getEscapeFix('broken_link', name))).not.toContain(null);
  });

  it('returns null for a broken link of which no detail was stored', () => {
    expect(getEscapeFix('broken_link', null)).toBeNull();
  });
});
