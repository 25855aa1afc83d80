import { expect, test } from 'vitest';
import { english } from '@/lib/i18n/translator';
import { projectOptions, toProjectId, WHOLE_TENANT } from './project-options';

const grant = (tenant_id: string | null, project_id: string | null) => ({
  role: 'r',
  permissions: ['policy:write'],
  tenant_id,
  project_id,
  project_name: project_id && `Project ${project_id}`,
});
const PROJECTS = [
  { id: 'p1', name: 'Shop', tenant_id: 't1' },
  { id: 'p2', name: 'Other', tenant_id: 't2' },
];
const values = (grants: ReturnType<typeof grant>[], tenant: string | null) =>
  projectOptions(english, grants, 'policy:write', tenant, PROJECTS).map(({ value }) => value);

test('people of a tenant choose between it and its projects', () => {
  expect(values([grant('t1', null)], 't1')).toEqual([WHOLE_TENANT, 'p1']);
  expect(values([grant(null, null)], 't2')).toEqual([WHOLE_TENANT, 'p2']);
});

test('objects of the installation have no project', () => {
  expect(values([grant(null, null)], null)).toEqual([]);
});

test('people of several projects choose between these, those of one have no choice', () => {
  expect(values([grant('t1', 'p1')], null)).toEqual([]);
  expect(values([grant('t1', 'p1'), grant('t2', 'p2')], null)).toEqual(['p1', 'p2']);
  expect(values([grant('t1', 'p1'), grant('t2', 'p2')], 't1')).toEqual([]);
  expect(values([{ ...grant('t1', null), permissions: ['policy:read'] }], 't1')).toEqual([]);
});

test('no choice sends nothing, the whole tenant null', () => {
  expect(toProjectId(null)).toEqual({});
  expect(toProjectId(WHOLE_TENANT)).toEqual({ project_id: null });
  expect(toProjectId('p1')).toEqual({ project_id: 'p1' });
});
