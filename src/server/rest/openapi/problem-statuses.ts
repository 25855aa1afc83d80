import { z } from 'zod';
import { getLane } from '@/domain/heavy-operations';
import { ERROR_STATUS } from '../../lib/errors';
import type { Route } from '../define-route';

/** Parts whose calls may ask a cluster. */
const ASKS_CLUSTERS = new Set([
  'Address management',
  'Agents',
  'Clusters',
  'Deployments',
  'Flows',
  'Inventory',
  'Policies',
  'Setup',
]);
/** Parts in which attempts are counted. */
const COUNTS_ATTEMPTS = new Set(['Account', 'Authentication', 'Events', 'Setup']);

/**
 * The error statuses that an operation may answer with, rising: those that follow from who may call it and what it takes, and
 * those that it names itself. A test holds real answers against them.
 */
export function problemStatuses(route: Route): number[] {
  const { method, access, params, query, body, tag } = route;
  const changes = method !== 'GET';
  const open = 'open' in access;
  const found = new Set<number>([400, 500, 503]);
  if (!open || body) found.add(401);
  if (!open && !('agent' in access)) found.add(403);
  if (params || query || body) found.add(404);
  if (changes) for (const status of [409, 413, 415, 422]) found.add(status);
  if (!open && !changes) found.add(422);
  // A list that may be asked for as a file, or as of a time.
  const mayWait = query instanceof z.ZodObject && ('format' in query.shape || 'as_of' in query.shape);
  if (COUNTS_ATTEMPTS.has(tag) || mayWait || getLane(route, undefined) !== null) found.add(429);
  if (ASKS_CLUSTERS.has(tag)) for (const status of [502, 504]) found.add(status);
  for (const code of route.response.problems ?? []) found.add(ERROR_STATUS[code]);
  return [...found].sort((a, b) => a - b);
}
