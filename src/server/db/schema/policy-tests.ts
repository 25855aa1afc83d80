import { sql } from 'drizzle-orm';
import { boolean, check, foreignKey, index, integer, jsonb, pgTable, text, unique, uuid } from 'drizzle-orm/pg-core';
import { POLICY_TEST_EXPECTATIONS, POLICY_TEST_RESULTS } from '@/domain/choices';
import type { ManagedBy } from '@/domain/managed-source';
import { OWN_PROCESSES, type ProcessReport } from '@/domain/own-connections/own-workloads';
import { RULE_PROTOCOLS } from '@/domain/policy/choices';
import type { TestFinding } from '@/domain/policy-tests/decide';
import type { NotFilteredNote, StoredCause, TestUnknownReason } from '@/domain/policy-tests/definition';
import { PROTECTED_TEMPLATES } from '@/domain/policy-tests/protected-connection';
import { primaryId, timestampNow, timestamptz } from '../columns';
import { projects, tenants } from './access';

/** What must be allowed or denied between two ends, whatever policies and rules say. */
export const policyTests = pgTable(
  'policy_tests',
  {
    id: primaryId(),
    tenant_id: uuid().references(() => tenants.id, { onDelete: 'restrict' }),
    /** Set: it belongs to this project of the tenant. */
    project_id: uuid(),
    name: text().notNull(),
    expect: text({ enum: POLICY_TEST_EXPECTATIONS }).notNull(),
    from: text().array().notNull(),
    to: text().array().notNull(),
    protocol: text({ enum: RULE_PROTOCOLS }).notNull(),
    /** Of the destination; empty: all. */
    ports: text().array().notNull().default(sql`'{}'`),
    reason: text().notNull().default(''),
    owner: text().notNull().default(''),
    /** Part of the product: users without the installation's permission cannot change or override it. */
    protected: boolean().notNull().default(false),
    /** Of a protected connection, which one. */
    template: text({ enum: PROTECTED_TEMPLATES }).unique('policy_tests_template_key'),
    /** Set: it is managed as code, and only what is applied from this source edits it. */
    managed_by: jsonb().$type<ManagedBy>(),
    version: integer().notNull().default(1),
    created_at: timestampNow(),
    updated_at: timestampNow(),
  },
  (t) => [
    unique('policy_tests_name_key').on(t.tenant_id, t.project_id, t.name).nullsNotDistinct(),
    foreignKey({
      name: 'policy_tests_project_fk',
      columns: [t.tenant_id, t.project_id],
      foreignColumns: [projects.tenant_id, projects.id],
    }).onDelete('restrict'),
    check('policy_tests_project', sql`${t.project_id} is null or ${t.tenant_id} is not null`),
    check('policy_tests_protected', sql`not ${t.protected} or ${t.tenant_id} is null`),
    check('policy_tests_template', sql`(${t.template} is not null) = ${t.protected}`),
    index('policy_tests_project_idx').on(t.project_id),
    check('policy_tests_expect', sql`${t.expect} in ('allow', 'deny')`),
    check('policy_tests_protocol', sql`${t.protocol} in ('any', 'tcp', 'udp', 'tcp/udp', 'icmp', 'icmpv6', 'sctp')`),
    check('policy_tests_ends', sql`cardinality(${t.from}) > 0 and cardinality(${t.to}) > 0`),
  ],
);

/** The last evaluation of each test. Losing it costs nothing but the time since when it fails, and why: it is evaluated again. */
export const policyTestResults = pgTable(
  'policy_test_results',
  {
    policy_test_id: uuid()
      .primaryKey()
      .references(() => policyTests.id, { onDelete: 'cascade' }),
    test_version: integer().notNull(),
    result: text({ enum: POLICY_TEST_RESULTS }).notNull(),
    unknown_reason: text().$type<TestUnknownReason>(),
    /** The packet that shows it, and what decides. */
    finding: jsonb().$type<TestFinding>(),
    not_filtered: jsonb().$type<NotFilteredNote[]>().notNull().default([]),
    not_filtered_total: integer().notNull().default(0),
    /** Workloads of its ends, for lists of one workload or policy. */
    workload_ids: uuid().array().notNull().default(sql`'{}'`),
    failing_since: timestamptz(),
    caused_by: jsonb().$type<StoredCause>(),
    checked_at: timestamptz().notNull(),
  },
  (t) => [
    index('policy_test_results_failing_idx').on(t.policy_test_id).where(sql`${t.result} = 'fail'`),
    index('policy_test_results_workloads_idx').using('gin', t.workload_ids),
    check('policy_test_results_result', sql`${t.result} in ('pass', 'fail', 'unknown')`),
    check('policy_test_results_failing', sql`(${t.failing_since} is not null) = (${t.result} = 'fail')`),
  ],
);

/** Processes of this installation with the connections that each has. Those that report no more are gone. */
export const ownProcesses = pgTable(
  'own_processes',
  {
    /** Host and process id. */
    id: text().primaryKey(),
    kind: text({ enum: OWN_PROCESSES }).notNull(),
    report: jsonb().$type<ProcessReport>().notNull(),
    reported_at: timestamptz().notNull(),
  },
  (t) => [check('own_processes_kind', sql`${t.kind} in ('web', 'worker')`)],
);
