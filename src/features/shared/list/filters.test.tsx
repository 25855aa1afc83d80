import { renderToStaticMarkup } from 'react-dom/server';
import { describe, expect, it } from 'vitest';
import { msg } from '@/lib/i18n/translator';
import { chosenNames, type FilterField } from '@/ui/filter/filter-field';
import { choice, entity, type Filters, flag, inUrl, named, plainChoice, several, typed } from './filters';
import { useFilterFields } from './use-filter-fields';

const CLUSTERS = [
  { value: 'c1', label: 'lab' },
  { value: 'c2', label: 'prod' },
];
const FILTERS = {
  status: choice(msg('Status'), ['ok', 'failed'], (one) => (one === 'ok' ? msg('OK') : msg('Failed'))),
  kinds: several(msg('Kind'), ['a', 'b', 'c'], (one) => one),
  faulty: flag(msg('Health'), [[true, msg('Faulty')]]),
  cluster_id: entity(msg('Cluster'), () => CLUSTERS, 2),
  action: {
    ...named(msg('Action'), [{ value: 'policy.*', label: msg('Policies') }], (_, one) => `other ${one}`),
    clears: ['pool'],
  },
  protocol: plainChoice(msg('Protocol'), ['tcp']),
  pool: typed(msg('Pool'), () => ({ check: (text) => (text === 'bad' ? 'Bad.' : null) })),
  since: inUrl('time'),
} satisfies Filters;

type Made = { state: { filters: object; setFilters: (values: object) => void }; hidden: string[] };
const Page = ({ made, onMade }: { made: Made; onMade: (fields: FilterField[]) => void }) => {
  onMade(useFilterFields(FILTERS, made.state, made.hidden));
  return null;
};

/** The fields with these values, and what is set when something is chosen. */
function renderFields(filters: object, hidden: string[] = []) {
  const sets: object[] = [];
  const fields: Record<string, FilterField> = {};
  const made = { state: { filters, setFilters: (values: object) => void sets.push(values) }, hidden };
  const onMade = (all: FilterField[]) =>
    Object.assign(fields, Object.fromEntries(all.map((field) => [field.id, field])));
  renderToStaticMarkup(<Page made={made} onMade={onMade} />);
  const choose = (id: keyof typeof FILTERS, ...values: string[]) => {
    fields[id]?.onValueChange(values);
    return sets.pop();
  };
  return { fields, choose };
}

const shown = (field: FilterField | undefined) => field && chosenNames(field).join(', ');

describe('useFilterFields', () => {
  it('makes a field of every filter that has one, in their order, but those hidden', () => {
    expect(Object.keys(renderFields({}).fields)).toEqual([
      'status',
      'kinds',
      'faulty',
      'cluster_id',
      'action',
      'protocol',
      'pool',
    ]);
    expect(Object.keys(renderFields({}, ['status', 'cluster_id']).fields)).not.toContain('cluster_id');
  });

  it('names every value in its chip, those of a link as well', () => {
    const { fields } = renderFields({
      status: 'failed',
      kinds: ['c', 'a'],
      faulty: false,
      cluster_id: 'c2',
      action: 'policy.*',
      protocol: 'gre',
      pool: 'web',
    });
    expect(Object.values(fields).map(shown)).toEqual(['Failed', 'a, c', 'No', 'prod', 'Policies', 'gre', 'web']);
    expect(fields.protocol?.options.map(({ value }) => value)).toEqual(['tcp', 'gre']);
  });

  it('names a value that the field does not offer, and an object that is gone', () => {
    const { fields } = renderFields({ action: 'role.created', cluster_id: 'c9' });
    expect(shown(fields.action)).toBe('other role.created');
    expect(shown(fields.cluster_id)).toBe('deleted or not visible');
  });

  it('sets what is chosen as the list takes it, and null for nothing', () => {
    const { choose } = renderFields({});
    expect(choose('status', 'ok')).toEqual({ status: 'ok' });
    expect(choose('status')).toEqual({ status: null });
    expect(choose('status', 'wild')).toEqual({ status: null });
    expect(choose('kinds', 'c', 'a', 'wild')).toEqual({ kinds: ['a', 'c'] });
    expect(choose('kinds')).toEqual({ kinds: null });
    expect(choose('faulty', 'true')).toEqual({ faulty: true });
    expect(choose('faulty')).toEqual({ faulty: null });
    expect(choose('cluster_id', 'c1')).toEqual({ cluster_id: 'c1' });
    expect(choose('pool', 'web')).toEqual({ pool: 'web' });
    expect(choose('pool')).toEqual({ pool: null });
  });

  it('clears the filters that depend on a changed one', () => {
    expect(renderFields({}).choose('action', 'role.*')).toEqual({ action: 'role.*', pool: null });
  });
});
