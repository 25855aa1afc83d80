import { IMPORT_COLUMNS, type ImportKind, type IpamImport } from '@/domain/ipam/csv-import';
import { formatCount } from '@/lib/format';

export const IMPORT_KIND_WORDS: Record<ImportKind, string> = { addresses: 'Addresses', subnets: 'Subnets' };

export const STAGE_WORDS: Record<NonNullable<IpamImport['stage']>, string> = {
  reading: 'Reading the file',
  checking: 'Checking the rows',
  writing: 'Writing',
};

const EXAMPLES: Record<ImportKind, string> = {
  addresses:
    'cluster,network,address,state,hostname,mac,description,workload\r\n' +
    'lab,vmbr0,10.0.0.5,reserved,printer1,,Second floor,\r\n' +
    'lab,vmbr0,10.0.0.6,active,web1,bc:24:11:00:00:01,,qemu/100\r\n',
  subnets:
    'cluster,network,cidr,gateway,dns_servers,dhcp_enabled,vlan_tag,description\r\n' +
    'lab,vmbr0,10.0.0.0/24,10.0.0.1,10.0.0.2 10.0.0.3,false,12,Servers\r\n',
};

/** A file to begin with: the header and a few rows. */
export const exampleFile = (kind: ImportKind): string => EXAMPLES[kind];

/** Which columns a file must and may have. */
export const columnsText = (kind: ImportKind): { required: string; optional: string } => ({
  required: IMPORT_COLUMNS[kind].required.join(', '),
  optional: IMPORT_COLUMNS[kind].optional.join(', '),
});

const rows = (count: number) => `${formatCount(count)} ${count === 1 ? 'row' : 'rows'}`;

type Counts = Pick<
  IpamImport,
  'dry_run' | 'status' | 'mode' | 'rows_total' | 'rows_bad' | 'created' | 'updated' | 'unchanged'
>;

/** What a finished check or import found or did, in one sentence. */
export function outcomeText(run: Counts): string {
  const bad = run.rows_bad ?? 0;
  const total = run.rows_total ?? 0;
  const done = [
    [run.created, 'new'],
    [run.updated, 'changed'],
    [run.unchanged, 'unchanged'],
  ] as const;
  const parts = done.filter(([count]) => count > 0).map(([count, word]) => `${formatCount(count)} ${word}`);
  if (run.dry_run && run.status === 'failed') return 'The file cannot be imported.';
  if (run.dry_run) {
    if (bad === 0) return `All ${rows(total)} are good: ${parts.join(', ') || 'nothing to do'}.`;
    return `${rows(bad)} of ${formatCount(total)} cannot be imported${parts.length > 0 ? `; of the others ${parts.join(', ')}` : ''}.`;
  }
  if (run.status === 'failed')
    return `Nothing was imported${bad > 0 ? `: ${rows(bad)} of ${formatCount(total)} are bad` : ''}.`;
  return `${rows(total - bad)} imported: ${parts.join(', ') || 'nothing to do'}${bad > 0 ? `. ${rows(bad)} skipped` : ''}.`;
}
