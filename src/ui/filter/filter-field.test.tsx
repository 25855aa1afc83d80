import { renderToStaticMarkup } from 'react-dom/server';
import { describe, expect, it } from 'vitest';
import { english } from '@/lib/i18n/translator';
import { FilterBar } from '../filter-bar';
import { joinPasted } from '../text-input';
import { chipText, type FilterField, isChoosable, toggled } from './filter-field';
import { fieldChoices } from './filter-popup';

const status: FilterField = {
  id: 'status',
  label: 'Status',
  options: [
    { value: 'ok', label: 'OK' },
    { value: 'failed', label: 'Failed' },
    { value: 'stale', label: 'Stale' },
  ],
  value: [],
  onValueChange: () => {},
};
const workload: FilterField = { ...status, id: 'workload_id', label: 'Workload', options: [], single: true };

/** The accessible names of the buttons in a bar. */
const listButtonNames = (fields: FilterField[], common: string[] = []) => {
  const markup = renderToStaticMarkup(<FilterBar fields={fields} common={common} onClear={() => {}} />);
  return [...markup.matchAll(/<button[^>]*?(?:aria-label="([^"]*)"[^>]*)?>(.*?)<\/button>/g)].map(
    ([, label, inside = '']) => label ?? inside.replace(/<[^>]*>/g, ''),
  );
};

describe('chipText', () => {
  it.each([
    [['failed'], 'Failed'],
    [['failed', 'ok'], 'OK, Failed'],
    [['failed', 'ok', 'stale'], '3 values'],
    [['other'], 'other'],
  ])('shows %j as %j', (value, text) => expect(chipText(english, { ...status, value })).toBe(text));
});

describe('FilterBar', () => {
  it('shows a chip for each field with a value and for common ones, and one button that adds others', () => {
    const failed = { ...status, value: ['failed'] };
    expect(listButtonNames([status, workload])).toEqual(['Filters', 'Filter']);
    expect(listButtonNames([failed])).toEqual([
      'Filters (1)',
      'Status: Failed',
      'Remove filter Status',
      'Filter',
      'Clear',
    ]);
    const found = { ...workload, useFound: () => ({ options: [], loading: false }) };
    expect(listButtonNames([status, found], ['status'])).toEqual(['Filters', 'Status', 'Filter']);
  });

  it('offers no field that has nothing to choose', () => {
    expect(isChoosable(workload)).toBe(false);
    expect(isChoosable({ ...workload, typed: {} })).toBe(true);
    expect(isChoosable({ ...workload, value: ['w1'] })).toBe(true);
    expect(listButtonNames([workload])).toEqual([]);
  });

  it('offers nothing to add where all fields are in view', () => {
    expect(listButtonNames([status], ['status'])).toEqual(['Filters', 'Status']);
  });
});

describe('toggled', () => {
  it('adds and removes a value, and replaces it where only one is possible', () => {
    expect(toggled({ ...status, value: ['ok'] }, 'failed')).toEqual(['ok', 'failed']);
    expect(toggled({ ...status, value: ['ok', 'failed'] }, 'ok')).toEqual(['failed']);
    expect(toggled({ ...status, single: true, value: ['ok'] }, 'failed')).toEqual(['failed']);
  });
});

describe('fieldChoices', () => {
  const labels = (text: string) =>
    fieldChoices([status, workload], text, (label, value) => `${label}: ${value}`).map(({ label }) => label);

  it('lists all fields first, then fields and values that contain the text', () => {
    expect(labels('')).toEqual(['Status', 'Workload']);
    expect(labels('sta')).toEqual(['Status', 'Status: Stale']);
    expect(labels('FAIL')).toEqual(['Status: Failed']);
    expect(labels('nothing')).toEqual([]);
  });
});

describe('joinPasted', () => {
  it('keeps pasted lines apart, in place of what was selected', () => {
    expect(joinPasted('', '80\n443\r\n8000-8010\n', 0, 0)).toBe('80 443 8000-8010');
    expect(joinPasted('22, x', '80\n443', 4, 5)).toBe('22, 80 443');
  });
});
