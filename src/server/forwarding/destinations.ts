import {
  type ForwardingDestination,
  type ForwardingDestinationInput,
  type ForwardingDestinationUpdate,
  type ForwardingStream,
  findRefusal,
  KIND_FIELDS,
} from '@/domain/forwarding/destination';
import { lastAuditRecord } from '../audit/queries/audit';
import { recordAudit } from '../audit/record';
import type { Scope } from '../auth/scope';
import { db, type Tx } from '../db/client';
import { publishEvent } from '../events/event-hub';
import { newId } from '../lib/ids';
import { assertVersion, changedFields, nameTaken, notFound, refuseField } from '../lib/refusals';
import { assertAllowedHttpTarget, assertAllowedReceiver } from '../settings/assert-allowed-target';
import { chooseTenant } from '../tenancy/choose-owner';
import { flowStore } from '../traffic/storage/flow-store';
import { openHttp, sealHttp } from './destination-secrets';
import * as repository from './queries/forwarding-destinations';
import { endPauses, type ForwardingPosition, startStreams } from './queries/forwarding-streams';
import { ALL_UNTIL } from './read-records';

type Row = repository.DestinationRow;

const noSuchDestination = () => notFound('forwarding destination');

/** What an audit record holds: the fields of the kind, and of certificates only that there are some. */
function toAuditState(destination: ForwardingDestination) {
  const { name, kind, enabled, streams, max_wait_hours, host, port, transport, max_message_bytes } = destination;
  const { url_origin, header_name, has_header_value, ca_certificates } = destination;
  const common = { name, kind, enabled, streams, max_wait_hours };
  if (kind === 'ipfix') return { ...common, host, port, max_message_bytes };
  return {
    ...{ ...common, has_ca_certificates: ca_certificates !== null },
    ...(kind === 'http' ? { url_origin, header_name, has_header_value } : { host, port, transport }),
    ...(kind === 'syslog' && { max_message_bytes }),
  };
}

export const forwardingChanged = (tx: Tx): Promise<void> => publishEvent(tx, { type: 'forwarding.changed' });

async function readStored(tx: Tx, id: string): Promise<ForwardingDestination> {
  const destination = await repository.findDestination(tx, id);
  if (!destination) throw new Error('expected the stored destination to exist');
  return destination;
}

/** @throws AppError `not_found` */
export async function readDestination(_scope: Scope<'settings:read'>, id: string): Promise<ForwardingDestination> {
  const destination = await repository.findDestination(db, id);
  if (!destination) throw noSuchDestination();
  return destination;
}

/** Records are sent from now on: those of before stay where they are. */
async function findStart(tx: Tx, stream: ForwardingStream): Promise<ForwardingPosition> {
  if (stream === 'audit') return { seq: (await lastAuditRecord(tx))?.seq ?? 0 };
  return { due_at: (await flowStore().settled.readClock()).now, id: ALL_UNTIL };
}

async function startAll(tx: Tx, id: string, streams: readonly ForwardingStream[]): Promise<void> {
  const started = streams.map(async (stream) => ({ stream, position: await findStart(tx, stream) }));
  await startStreams(tx, id, await Promise.all(started));
}

type Socket = Pick<Row, 'kind' | 'host'> & { transport?: Row['transport'] };

/** What is wrong with sending to a public address; null: it is encrypted. */
function describeClearText({ kind, host, transport }: Socket): string | null {
  if (kind === 'ipfix')
    return `IPFIX over UDP sends conversations to ${host} unencrypted over the internet. Use a receiver with a private address.`;
  return transport === 'tls'
    ? null
    : `TCP without TLS sends records to ${host} unencrypted over the internet. Use TLS.`;
}

/** @throws AppError `refused` */
async function assertAllowedSocket(socket: Socket): Promise<void> {
  const { host } = socket;
  if (host !== null) await assertAllowedReceiver('host', { host, clear_text: describeClearText(socket) });
}

/**
 * Adds a destination. It gets records from now on.
 * @throws AppError `conflict` when the name is taken, `malformed` for an unknown tenant, `refused` for a receiver that no connection may
 * be made to, or that would get records in clear text over the internet
 */
export function createDestination(
  scope: Scope<'*'>,
  { tenant_id: requested, ...input }: ForwardingDestinationInput,
): Promise<ForwardingDestination> {
  const id = newId();
  return db.transaction(async (tx) => {
    const tenant_id = await chooseTenant(tx, scope.tenants, requested);
    if (await repository.destinationNameTaken(tx, input.name)) throw nameTaken('destination', input.name);
    if (input.kind === 'http') {
      const { url, header_value, ...plain } = input;
      await assertAllowedHttpTarget('url', new URL(url));
      await repository.insertDestination(tx, { id, tenant_id, ...plain, ...sealHttp(id, { url, header_value }) });
    } else {
      await assertAllowedSocket(input);
      await repository.insertDestination(tx, { id, tenant_id, ...input });
    }
    await startAll(tx, id, input.streams);
    const destination = await readStored(tx, id);
    await forwardingChanged(tx);
    await recordAudit(tx, scope, {
      action: 'forwarding_destination.created',
      object_kind: 'forwarding_destination',
      object_id: id,
      object_name: input.name,
      tenant_id: null,
      after: toAuditState(destination),
    });
    return destination;
  });
}

/** What an update of the secrets writes. @throws AppError `refused` */
async function changeHttp(
  row: Row,
  { url, header_value }: Pick<ForwardingDestinationUpdate, 'url' | 'header_value'>,
): Promise<Partial<Row>> {
  if (row.kind !== 'http' || (url === undefined && header_value === undefined)) return {};
  if (url !== undefined) await assertAllowedHttpTarget('url', new URL(url));
  const hasValue = row.header_value_encrypted !== null;
  // A token belongs to its receiver: the stored one is not sent to another server.
  if (url !== undefined && header_value === undefined && hasValue && new URL(url).origin !== row.url_origin)
    throw refuseField('header_value', 'The URL is on another server: enter the header value again.');
  if (url !== undefined && (header_value !== undefined || !hasValue))
    return sealHttp(row.id, { url, header_value: header_value ?? null });
  const stored = openHttp(row);
  return sealHttp(row.id, {
    url: url ?? stored.url,
    header_value: header_value ?? (header_value === null ? null : stored.header_value),
  });
}

/** Fields and values of another kind are not for this destination. @throws AppError `refused` */
function assertFieldsOfKind(kind: Row['kind'], input: ForwardingDestinationUpdate): void {
  const own: readonly string[] = KIND_FIELDS[kind];
  const foreign = Object.values(KIND_FIELDS)
    .flat()
    .find((name) => input[name] !== undefined && !own.includes(name));
  if (foreign) throw refuseField(foreign, `A destination of kind ${kind} has no ${foreign}: omit this field.`);
  const refusal = findRefusal(kind, input);
  if (refusal) throw refuseField(refusal.field, refusal.message);
}

/**
 * Changes a destination; omitted fields stay. It continues with the record after the last one that was sent, without a pause.
 * @throws AppError `not_found`, `version_conflict`, `conflict` when the name is taken, `refused` for a field of another kind, a receiver
 * that is not allowed, or another server without its header value
 */
export function updateDestination(
  scope: Scope<'*'>,
  id: string,
  input: ForwardingDestinationUpdate,
): Promise<ForwardingDestination> {
  return db.transaction(async (tx) => {
    const row = await repository.lockDestination(tx, id);
    if (!row) throw noSuchDestination();
    assertVersion('destination', row.version, input.version);
    assertFieldsOfKind(row.kind, input);
    const { version: _version, url, header_value, ...plain } = input;
    const before = await readStored(tx, id);
    const changes = { ...changedFields(row, plain), ...(await changeHttp(row, { url, header_value })) };
    if (Object.keys(changes).length === 0) return before;
    if (changes.name !== undefined && (await repository.destinationNameTaken(tx, changes.name)))
      throw nameTaken('destination', changes.name);
    if (changes.host !== undefined || changes.transport !== undefined)
      await assertAllowedSocket({ ...row, ...changes });
    await repository.updateDestinationRow(tx, id, changes);
    await startAll(tx, id, changes.streams ?? row.streams);
    await endPauses(tx, id);
    const destination = await readStored(tx, id);
    await forwardingChanged(tx);
    await recordAudit(tx, scope, {
      action: 'forwarding_destination.updated',
      object_kind: 'forwarding_destination',
      object_id: id,
      object_name: destination.name,
      tenant_id: null,
      before: toAuditState(before),
      after: {
        ...toAuditState(destination),
        ...(url !== undefined && { url_changed: true }),
        ...(header_value !== undefined && { has_new_header_value: header_value !== null }),
      },
    });
    return destination;
  });
}

/** Deletes a destination. What waits for it is not sent. @throws AppError `not_found` */
export function deleteDestination(scope: Scope<'*'>, id: string, version?: number): Promise<void> {
  return db.transaction(async (tx) => {
    if (!(await repository.lockDestination(tx, id))) throw noSuchDestination();
    const before = await readStored(tx, id);
    assertVersion('destination', before.version, version);
    await repository.deleteDestinationRow(tx, id);
    await forwardingChanged(tx);
    await recordAudit(tx, scope, {
      action: 'forwarding_destination.deleted',
      object_kind: 'forwarding_destination',
      object_id: id,
      object_name: before.name,
      tenant_id: null,
      before: toAuditState(before),
    });
  });
}

/** The destination with its secrets, to send to. @throws AppError `not_found` */
export async function readDestinationRow(_scope: Scope<'*'>, id: string): Promise<Row> {
  const row = await repository.findDestinationRow(db, id);
  if (!row) throw noSuchDestination();
  return row;
}
