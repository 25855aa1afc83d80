import type { Translate } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';
import { Button } from '@/ui/button';
import { Notice } from '@/ui/notice';
import { Missing } from '@/ui/values';

type Values = Record<string, unknown>;
type Difference = { field: string; label: string; mine: string; theirs: string };

const formatValue = (t: Translate, value: unknown): string => {
  if (value === null || value === undefined) return '';
  if (typeof value === 'boolean') return value ? t('Yes') : t('No');
  return Array.isArray(value) ? value.join(', ') : String(value);
};

/** The fields in which two versions differ, in the order of `labels`, as words. */
export function listDifferences(
  t: Translate,
  labels: Record<string, string>,
  mine: Values,
  theirs: Values,
): Difference[] {
  return Object.entries(labels)
    .map(([field, label]) => ({
      field,
      label,
      mine: formatValue(t, mine[field]),
      theirs: formatValue(t, theirs[field]),
    }))
    .filter((row) => row.mine !== row.theirs);
}

type Props = {
  /** Fields that are compared, with their names. */
  labels: Record<string, string>;
  mine: Values;
  /** What is stored now; undefined while it is read. */
  theirs: Values | undefined;
  /** Overwrites the other version with the user's own. */
  onKeep: () => void;
  /** Puts the stored version into the form. */
  onTake: () => void;
  pending: boolean;
};

/** Another user saved first: both versions side by side, and the choice between them. */
export function VersionConflict({ labels, mine, theirs, onKeep, onTake, pending }: Props) {
  const t = useT();
  const rows = theirs ? listDifferences(t, labels, mine, theirs) : [];
  return (
    <div className="flex flex-col gap-2">
      <Notice tone="warn" live title={t('Version conflict')}>
        {t(
          'Another user saved a change while you were editing. Your changes are not saved. Choose which version to keep.',
        )}
      </Notice>
      {theirs && (
        <div className="overflow-x-auto rounded-md border">
          <table className="w-full border-collapse" aria-label={t('Both versions')}>
            <thead>
              <tr className="text-left text-sm text-muted">
                <th scope="col" className="px-2.5 py-1.5 font-medium">
                  {t('Field')}
                </th>
                <th scope="col" className="px-2.5 py-1.5 font-medium">
                  {t('Your version')}
                </th>
                <th scope="col" className="px-2.5 py-1.5 font-medium">
                  {t('Saved by another user')}
                </th>
              </tr>
            </thead>
            <tbody>
              {rows.map((row) => (
                <tr key={row.field} className="border-t align-top">
                  <th scope="row" className="px-2.5 py-1.5 text-left font-normal text-muted">
                    {row.label}
                  </th>
                  <td className="px-2.5 py-1.5 [overflow-wrap:anywhere]">
                    {row.mine || <Missing label={t('Empty')} />}
                  </td>
                  <td className="px-2.5 py-1.5 [overflow-wrap:anywhere]">
                    {row.theirs || <Missing label={t('Empty')} />}
                  </td>
                </tr>
              ))}
              {rows.length === 0 && (
                <tr className="border-t">
                  <td colSpan={3} className="px-2.5 py-1.5 text-muted">
                    {t('Both versions are identical.')}
                  </td>
                </tr>
              )}
            </tbody>
          </table>
        </div>
      )}
      <div className="flex flex-wrap gap-2">
        <Button size="sm" onClick={onTake} disabledReason={theirs ? null : t('Loading the other version')}>
          {t('Use their version')}
        </Button>
        <Button
          size="sm"
          onClick={onKeep}
          pending={pending}
          disabledReason={theirs ? null : t('Loading the other version')}
        >
          {t('Overwrite with my version')}
        </Button>
      </div>
    </div>
  );
}
