import { renderToStaticMarkup } from 'react-dom/server';
import { describe, expect, it } from 'vitest';
import { msg } from '@/lib/i18n/translator';
import type { FacetProps } from '@/ui/facet';
import { anyOf, chip, choice, entity, type Filters, flag, inUrl, named, several } from './filters';
import { useFacets } from './use-facets';

const CLUSTERS = [
  { value: 'c1', label: 'lab' },
  { value: 'c2', label: 'prod' },
];
const FILTERS = {
  status: choice(msg('Status'), ['ok', 'failed'], (one) => (one === 'ok' ? msg('OK') : msg('Failed'))),
  kinds: several(msg('Kind'), ['a', 'b', 'c'], (one) => one),
  faulty: flag(msg('Health'), [[true, msg('Faulty')]]),
  cluster_id: entity(msg('Cluster'), () => CLUSTERS, 2),
  project_id: { ...named(msg('Project'), [{ value: 'none', label: msg('None') }], 'id_or_none'), clears: ['pool'] },
  protocol: anyOf(msg('Protocol'), ['tcp']),
  pool: chip(msg('Pool'), 'text'),
  since: inUrl('time'),
} satisfies Filters;

type Made = { state: { filters: object; setFilters: (values: object) => void }; hidden: string[] };
const Page = ({ made, onMade }: { made: Made; onMade: (facets: ReturnType<typeof useFacets>) => void }) => {
  onMade(useFacets(FILTERS, made.state, made.hidden));
  return null;
};

/** The menus of these values, and what is set when something is chosen. */
function facetsOf(filters: object, hidden: string[] = []) {
  const sets: object[] = [];
  const facets: Record<string, FacetProps> = {};
  const made = { state: { filters, setFilters: (values: object) => void sets.push(values) }, hidden };
  const onMade = (all: ReturnType<typeof useFacets>) =>
    Object.assign(facets, Object.fromEntries(all.map(({ id, ...facet }) => [id, facet])));
  renderToStaticMarkup(<Page made={made} onMade={onMade} />);
  const choose = (id: keyof typeof FILTERS, ...values: string[]) => {
    facets[id]?.onValueChange(values);
    return sets.pop();
  };
  return { facets, choose };
}

describe('useFacets', () => {
  it('makes a menu of every filter that has one, in their order, but those hidden', () => {
    expect(Object.keys(facetsOf({}).facets)).toEqual([
      'status',
      'kinds',
      'faulty',
      'cluster_id',
      'project_id',
      'protocol',
    ]);
    expect(Object.keys(facetsOf({}, ['status', 'cluster_id']).facets)).not.toContain('cluster_id');
  });

  it('shows what is chosen', () => {
    const { facets } = facetsOf({ status: 'failed', kinds: ['c'], faulty: true, cluster_id: 'c2', protocol: 'gre' });
    const shown = Object.entries(facets).map(([id, { value }]) => [id, ...value]);
    expect(shown).toEqual([
      ['status', 'failed'],
      ['kinds', 'c'],
      ['faulty', 'true'],
      ['cluster_id', 'c2'],
      ['project_id'],
      ['protocol', 'gre'],
    ]);
    expect(facets.protocol?.options.map(({ value }) => value)).toEqual(['tcp', 'gre']);
  });

  it('leaves a value that it cannot name to a chip', () => {
    expect(facetsOf({ project_id: 'none' }).facets.project_id?.value).toEqual(['none']);
    expect(facetsOf({ project_id: 'p1' }).facets.project_id?.value).toEqual([]);
  });

  it('sets what is chosen as the list takes it, and null for nothing', () => {
    const { choose } = facetsOf({});
    expect(choose('status', 'ok')).toEqual({ status: 'ok' });
    expect(choose('status')).toEqual({ status: null });
    expect(choose('status', 'wild')).toEqual({ status: null });
    expect(choose('kinds', 'c', 'a', 'wild')).toEqual({ kinds: ['a', 'c'] });
    expect(choose('kinds')).toEqual({ kinds: null });
    expect(choose('faulty', 'true')).toEqual({ faulty: true });
    expect(choose('faulty')).toEqual({ faulty: null });
    expect(choose('cluster_id', 'c1')).toEqual({ cluster_id: 'c1' });
  });

  it('clears with a filter those that hang off it', () => {
    expect(facetsOf({}).choose('project_id', 'none')).toEqual({ project_id: 'none', pool: null });
  });
});
