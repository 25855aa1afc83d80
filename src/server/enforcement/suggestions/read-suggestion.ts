import type { ImpactReader } from '@/domain/impact/stored-impact';
import { isWithinReach, toOwner } from '@/domain/permissions';
import { getDraftOptions, type Position, toChosen } from '@/domain/suggestion/compute';
import {
  type ChosenGroup,
  draftPolicies,
  type Evidence,
  type RuleEvidence,
  type Suggested,
} from '@/domain/suggestion/draft';
import type { LeftOut } from '@/domain/suggestion/observed';
import { type StoredFindings, unpackTalks } from '@/domain/suggestion/stored-evidence';
import type { Suggestion, SuggestionEvidence, SuggestionReadInput } from '@/domain/suggestion/suggestion';
import type { Scope } from '../../auth/scope';
import { db, type Executor } from '../../db/client';
import { notFound } from '../../lib/refusals';
import { seesAll } from '../impact/read-impact';
import { readFirewallState } from '../policies/firewall-state/read-firewall-state';
import type { PolicyInputs } from '../policies/policy-inputs';
import { findSuggestion, type SuggestionRow } from '../queries/suggestions';
import { listKnown, listNameable } from './nameable';

/** A suggestion that shows nothing that the reader may not see. @throws AppError `not_found` */
export async function findVisibleSuggestion(
  { reach }: Scope<'policy:write'>,
  reader: ImpactReader,
  id: string,
  find: (executor: Executor, id: string) => Promise<SuggestionRow | null> = findSuggestion,
  executor: Executor = db,
): Promise<SuggestionRow> {
  const row = await find(executor, id);
  if (!row || !seesAll(reader, row.reader) || !isWithinReach(toOwner(row), reach)) throw notFound('suggestion');
  return row;
}

/** What rules can still be written for: workloads are named as they are now. Conversations of those that are gone are left out. */
function readEvidence(inputs: PolicyInputs, row: SuggestionRow, findings: StoredFindings) {
  const owner = toOwner(row);
  const nameable = listNameable(inputs, owner, row.reader.flows ?? [], new Set(row.workload_ids));
  const known = new Map(nameable.map((one) => [one.id, one]));
  const isKnown = (id: string | null) => id === null || known.has(id);
  const isLeft = ({ client, server }: Evidence['talks'][number]) =>
    isKnown(client.workload_id) && isKnown(server.workload_id);
  const all = unpackTalks(findings.talks);
  const talks = all.filter(isLeft);
  const seen = new Set(talks.flatMap(({ client, server }) => [client.workload_id, server.workload_id]));
  const workloads = nameable.filter(({ id }) => seen.has(id));
  const gone = all.filter((talk) => !isLeft(talk));
  const left_out = gone.map(({ client, server, service, conversations, held_out, bytes, last_seen }): LeftOut => {
    const name = (end: typeof client) => known.get(end.workload_id ?? '')?.name ?? end.ip;
    return {
      reason: 'unresolved',
      client: name(client),
      server: name(server),
      service: service.port === null ? service.protocol : `${service.protocol}/${service.port}`,
      conversations: conversations + held_out,
      ...{ bytes, last_seen },
    };
  });
  const evidence: Evidence = { talks, workloads, ...listKnown(inputs, owner) };
  return { evidence, left_out, nameable };
}

const findPosition = (positions: readonly Position[], asked: number): Position | undefined =>
  positions.reduce<Position | undefined>(
    (best, one) => (best && Math.abs(best.position - asked) <= Math.abs(one.position - asked) ? best : one),
    undefined,
  );

/** Groups with the workloads that are still there; one that has none is no group any more. */
function keepKnown(groups: readonly ChosenGroup[], { workloads }: Evidence): ChosenGroup[] {
  const known = new Set(workloads.map(({ id }) => id));
  return groups.flatMap(({ name, workload_ids }) => {
    const left = workload_ids.filter((id) => known.has(id));
    return left.length > 0 ? [{ name, workload_ids: left }] : [];
  });
}

/** The draft of a suggestion, as it is stored or at another position of the slider; null: it is not computed. */
export async function readDraft(row: SuggestionRow, asked?: number) {
  const { findings } = row;
  if (!findings) return null;
  const { inputs } = await readFirewallState();
  const { evidence, left_out, nameable } = readEvidence(inputs, row, findings);
  const requested = asked ?? row.position ?? findings.recommended ?? 1;
  const position = findPosition(findings.positions, requested);
  const isEdited = row.groups !== null && asked === undefined;
  const chosen = keepKnown(isEdited ? (row.groups ?? []) : toChosen(position?.groups ?? []), evidence);
  const options = getDraftOptions(position?.position ?? 1, { default: 'networks', services: row.widths }, row.close);
  return {
    ...{ findings, evidence, nameable, position, isEdited },
    left_out,
    draft: draftPolicies(evidence, chosen, options),
  };
}

const iso = (time: number) => new Date(time).toISOString();

const describeEvidence = ({ first_seen, last_seen, peers, ...rest }: RuleEvidence): SuggestionEvidence => ({
  ...rest,
  peers: [...peers],
  first_seen_at: iso(first_seen),
  last_seen_at: iso(last_seen),
});

const describePolicy = ({ kind, name, definition, rules, width_keys }: Suggested['policies'][number]) => ({
  kind,
  policy: { name, definition },
  rules: rules.map(({ rule, evidence }) => ({ rule, evidence: evidence && describeEvidence(evidence) })),
  width_keys: [...width_keys],
});

function describeLeftOut(all: readonly LeftOut[]): Pick<Suggestion, 'left_out' | 'left_out_totals'> {
  const totals = new Map<LeftOut['reason'], number>();
  for (const { reason, conversations } of all) totals.set(reason, (totals.get(reason) ?? 0) + conversations);
  return {
    left_out: all
      .filter(({ client }) => client !== '')
      .map(({ last_seen, ...one }) => ({ ...one, last_seen_at: iso(last_seen) })),
    left_out_totals: [...totals].map(([reason, conversations]) => ({ reason, conversations })),
  };
}

const NOTHING = { coverage: { training: null, held_out: null }, tightness: null } as const;

/** One suggestion with its draft; while it is computed, without. @throws AppError `not_found` */
export async function readSuggestion(
  scope: Scope<'policy:write'>,
  reader: ImpactReader,
  id: string,
  { tightness }: SuggestionReadInput,
): Promise<Suggestion> {
  return describeSuggestion(await findVisibleSuggestion(scope, reader, id), tightness);
}

export async function describeSuggestion(row: SuggestionRow, asked?: number): Promise<Suggestion> {
  const read = await readDraft(row, asked);
  const { draft, evidence, nameable = [] } = read ?? {};
  const names = new Map(evidence?.workloads.map(({ id, name }) => [id, name]));
  return {
    id: row.id,
    status: row.status === 'queued' ? 'running' : row.status,
    progress: row.progress,
    error: row.message,
    scope: { ...row.scope, workload_ids: row.scope.workload_ids && [...row.scope.workload_ids] },
    scope_name: row.scope_name,
    ...toOwner(row),
    since: row.since,
    held_out_since: row.held_out_since,
    until: row.until,
    version: row.version,
    position: read?.position?.position ?? null,
    recommended: read?.findings.recommended ?? null,
    is_edited: read?.isEdited ?? false,
    widths: row.widths,
    close: row.close,
    coverage: draft?.coverage ?? NOTHING.coverage,
    tightness: draft?.tightness ?? NOTHING.tightness,
    positions: (read?.findings.positions ?? []).map(({ groups, ...one }) => ({ ...one, groups_total: groups.length })),
    groups: (draft?.groups ?? []).map(({ workload_ids, ...group }) => ({
      ...group,
      workloads: workload_ids.map((one) => ({ id: one, name: names.get(one) ?? one })),
    })),
    policies: (draft?.policies ?? []).map(describePolicy),
    ...describeLeftOut([...(draft?.left_out ?? []), ...(read?.left_out ?? []), ...(read?.findings.left_out ?? [])]),
    silent_workloads: read
      ? nameable.filter(({ id, in_scope }) => in_scope && !names.has(id)).map(({ id, name }) => ({ id, name }))
      : [],
    evidence_score: read?.findings.evidence_score ?? null,
    change_id: row.change_id,
    impact_id: row.impact_id,
    created_at: row.created_at,
    finished_at: row.finished_at,
  };
}
