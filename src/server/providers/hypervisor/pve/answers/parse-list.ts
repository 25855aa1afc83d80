import { z } from 'zod';
import { ProviderError } from '../../errors';
import type { Listing } from '../../types';

/** Elements of an answer that were understood, and in one sentence what was not. */
export type ParsedList<T> = { items: T[]; problem: string | null };

const formatElementName = (element: unknown): string => {
  const { id, key, iface, node } = Object(element);
  return String(id ?? key ?? iface ?? node ?? 'an element').slice(0, 80);
};

/**
 * Reads a list element by element: one that has wrong types costs only itself.
 * @throws ProviderError `bad_answer` when it is no list at all.
 */
export function parseList<T>(what: string, schema: z.ZodType<T>, data: unknown, max: number): ParsedList<T> {
  if (!Array.isArray(data)) throw badShape(what, 'is not a list');
  const items: T[] = [];
  const rejected: string[] = [];
  for (const element of data.slice(0, max)) {
    const result = schema.safeParse(element);
    if (result.success) items.push(result.data);
    else
      rejected.push(
        `${formatElementName(element)} (${z.prettifyError(result.error).split('\n').join(' ').slice(0, 160)})`,
      );
  }
  const problems: string[] = [];
  if (rejected.length > 0)
    problems.push(`${rejected.length} of ${data.length} ${what} could not be read: ${rejected.slice(0, 3).join(', ')}`);
  if (data.length > max) problems.push(`only the first ${max} of ${data.length} ${what} were read`);
  return { items, problem: problems.length > 0 ? problems.join('; ') : null };
}

/** Reads one object. @throws ProviderError `bad_answer` naming what is wrong with it. */
export function parseObject<T>(what: string, schema: z.ZodType<T>, data: unknown): T {
  const result = schema.safeParse(data);
  if (!result.success) throw badShape(what, `has an unexpected format: ${z.prettifyError(result.error).slice(0, 300)}`);
  return result.data;
}

const badShape = (what: string, problem: string) =>
  new ProviderError(
    'bad_answer',
    `The response for ${what} ${problem}`,
    'Check that the address is that of a supported Proxmox VE (8 or 9). If it is, report this message.',
  );

/** A listing that is complete unless there is a reason why not. */
export function toListing<T>(items: T[], reasons: readonly (string | null)[]): Listing<T> {
  const known = reasons.filter((reason) => reason !== null);
  return { items, complete: known.length === 0, incompleteReason: known.length === 0 ? null : known.join('; ') };
}
