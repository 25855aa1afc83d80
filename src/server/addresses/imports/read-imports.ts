import type { ImportListInput, IpamImport, IpamImportDetail } from '@/domain/ipam/csv-import';
import type { Page } from '@/domain/list';
import type { Scope } from '../../auth/scope';
import { notFound } from '../../lib/refusals';
import * as repository from '../queries/ipam-imports';

/** One page of the imports, newest first. */
export function listImports(_scope: Scope<'ipam:write'>, input: ImportListInput): Promise<Page<IpamImport>> {
  return repository.listImports(input);
}

/**
 * One import with its report: each bad row by line and field.
 * @throws AppError `not_found`
 */
export async function readImport(_scope: Scope<'ipam:write'>, id: string): Promise<IpamImportDetail> {
  const found = await repository.findImport(id);
  if (!found) throw notFound('import');
  return found;
}
