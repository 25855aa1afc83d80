import { IMPORT_COLUMNS } from '@/domain/choices';
import type { ImportChange, ImportKind, IpamImport } from '@/domain/ipam/csv-import';
import { msg, type Translate } from '@/lib/i18n/translator';

export const IMPORT_KIND_LABELS: Record<ImportKind, string> = {
  addresses: msg('Addresses'),
  subnets: msg('Prefixes'),
};

/** What an import read. */
export const IMPORT_RUN_LABELS: Record<IpamImport['kind'], string> = { ...IMPORT_KIND_LABELS, netbox: msg('NetBox') };

export const STAGE_LABELS: Record<NonNullable<IpamImport['stage']>, string> = {
  reading: msg('Reading'),
  checking: msg('Checking rows'),
  writing: msg('Writing'),
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

/** A value of the file. What is empty is said to be so. */
export const valueText = (t: Translate, value: ImportChange['fields'][number]['old']): string =>
  value === null || value === '' ? t('(empty)') : String(value);

type Counts = Pick<
  IpamImport,
  'kind' | 'dry_run' | 'status' | 'mode' | 'rows_total' | 'rows_bad' | 'created' | 'updated' | 'unchanged' | 'conflicts'
>;

/** What a preview of NetBox found, or what was imported, in one sentence. */
function netboxText(t: Translate, { status, dry_run, ...run }: Counts): string {
  if (status === 'failed')
    return dry_run ? t('NetBox could not be previewed.') : t('Nothing was imported from NetBox.');
  const parts = [
    t('{n, number} new', { n: run.created }),
    t('{n, number} changed', { n: run.updated }),
    t('{n, number} unchanged', { n: run.unchanged }),
    t('{n, plural, one {# conflict} other {# conflicts}}', { n: run.conflicts }),
    t('{n, number} skipped', { n: run.rows_bad ?? 0 }),
  ];
  const done = parts.join(', ');
  return dry_run ? t('Preview: {done}.', { done }) : t('Imported: {done}.', { done });
}

/** What a finished check or import found or did, in one sentence. */
export function outcomeText(t: Translate, run: Counts): string {
  if (run.kind === 'netbox') return netboxText(t, run);
  const bad = run.rows_bad ?? 0;
  const total = run.rows_total ?? 0;
  const parts = [
    run.created > 0 && t('{n, number} new', { n: run.created }),
    run.updated > 0 && t('{n, number} changed', { n: run.updated }),
    run.unchanged > 0 && t('{n, number} unchanged', { n: run.unchanged }),
  ].filter((part) => part !== false);
  const done = parts.join(', ') || t('no changes');
  if (run.dry_run && run.status === 'failed') return t('The file cannot be imported.');
  if (run.dry_run) {
    if (bad === 0) return t('{n, plural, one {The row is} other {All # rows are}} valid: {done}.', { n: total, done });
    return parts.length === 0
      ? t('{bad, plural, one {# row} other {# rows}} of {total, number} cannot be imported.', { bad, total })
      : t('{bad, plural, one {# row} other {# rows}} of {total, number} cannot be imported. Other rows: {done}.', {
          bad,
          total,
          done,
        });
  }
  if (run.status === 'failed') {
    return bad === 0
      ? t('No rows imported.')
      : t(
          'No rows imported: {bad, plural, one {# row of {total, number} is invalid} other {# rows of {total, number} are invalid}}.',
          {
            bad,
            total,
          },
        );
  }
  return bad === 0
    ? t('{n, plural, one {# row} other {# rows}} imported: {done}.', { n: total, done })
    : t(
        '{n, plural, one {# row} other {# rows}} imported: {done}. {bad, plural, one {# row} other {# rows}} skipped.',
        { n: total - bad, bad, done },
      );
}
