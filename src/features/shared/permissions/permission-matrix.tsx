'use client';
import { Search } from 'lucide-react';
import { useState } from 'react';
import { PERMISSION_REACH, PERMISSIONS, type Permission } from '@/domain/permissions';
import { useT } from '@/lib/i18n/use-t';
import { Badge } from '@/ui/badge';
import { Button } from '@/ui/button';
import { Checkbox } from '@/ui/checkbox';
import { TextInput } from '@/ui/text-input';
import { type MatrixRow, PERMISSION_LABELS, PERMISSION_ROWS } from './permission-labels';
import { isPreset, presetsWithin, searchPermissions } from './permission-presets';

type Props = {
  value: readonly string[];
  /** Without it the matrix only shows. */
  onChange?: (permissions: string[]) => void;
  /** Whether `*` may be chosen. */
  maySuper?: boolean;
  /** Those that may be chosen; the others are not shown. All when left out. */
  offered?: readonly Permission[];
};

function filterRows(offered: readonly Permission[], found: ReadonlySet<Permission>): readonly MatrixRow[] {
  return PERMISSION_ROWS.map((row) => ({
    ...row,
    permissions: row.permissions.filter((one) => offered.includes(one) && found.has(one)),
  })).filter(({ permissions }) => permissions.length > 0);
}

/** The permissions of a role or token: presets, a search, one line per kind of thing and one box per permission. */
export function PermissionMatrix({ value, onChange, maySuper = false, offered = PERMISSIONS }: Props) {
  const t = useT();
  const [query, setQuery] = useState('');
  const rows = filterRows(offered, searchPermissions(t, query));
  const everything = value.includes('*');
  const set = (permission: Permission, on: boolean) =>
    onChange?.(PERMISSIONS.filter((one) => (one === permission ? on : value.includes(one))));
  return (
    <div className="flex flex-col gap-3">
      {onChange && <Presets value={value} onChange={onChange} offered={offered} />}
      {(everything || maySuper) && (
        // biome-ignore lint/a11y/noLabelWithoutControl: the checkbox inside is the control
        <label className="flex items-start gap-2">
          <Checkbox
            checked={everything}
            disabled={!onChange || !maySuper}
            onCheckedChange={(on) => onChange?.(on ? ['*'] : [])}
            className="mt-0.5"
          />
          <span>
            <span className="font-medium">{t('All permissions, including future ones')}</span>
            <span className="block text-sm text-faint">
              {t('Makes the role a super administrator, who can also change settings.')}
            </span>
          </span>
        </label>
      )}
      <TextInput
        role="searchbox"
        aria-label={t('Search permissions')}
        placeholder={t('Search permissions')}
        autoComplete="off"
        spellCheck={false}
        value={query}
        onChange={(event) => setQuery(event.target.value)}
        // Enter would send the form around it.
        onKeyDown={(event) => event.key === 'Enter' && event.preventDefault()}
        leading={<Search size={14} aria-hidden />}
      />
      <div className="min-w-0 overflow-hidden rounded-lg border">
        {rows.length === 0 && <p className="px-3 py-2 text-muted">{t('No permission matches.')}</p>}
        {rows.map(({ resource, label, platform, permissions }) => (
          <fieldset
            key={resource}
            className="grid grid-cols-1 gap-x-4 border-b px-3 py-2 last:border-b-0 sm:grid-cols-[9rem_minmax(0,1fr)]"
          >
            <legend className="sr-only">{t(label)}</legend>
            <div aria-hidden className="flex items-start gap-2 py-0.5 font-medium">
              {t(label)}
              {platform && <Badge>{t('Platform')}</Badge>}
            </div>
            <div className="flex min-w-0 flex-col">
              {permissions.map((permission) => (
                // biome-ignore lint/a11y/noLabelWithoutControl: the checkbox inside is the control
                <label key={permission} className="flex min-w-0 items-start gap-2 py-0.5">
                  <Checkbox
                    checked={everything || value.includes(permission)}
                    disabled={!onChange || everything}
                    onCheckedChange={(on) => set(permission, on)}
                    className="mt-0.5"
                  />
                  <span className="min-w-0">
                    <span className="mono">{permission}</span>{' '}
                    <span className="text-muted">{t(PERMISSION_LABELS[permission])}</span>
                    {!platform && PERMISSION_REACH[permission] === 'platform' && (
                      <span className="text-faint"> {t('(platform only)')}</span>
                    )}
                  </span>
                </label>
              ))}
            </div>
          </fieldset>
        ))}
      </div>
      <p className="text-sm text-faint">
        {t('Platform permissions apply only in a role assigned for the whole installation, not for one tenant.')}
      </p>
    </div>
  );
}

/** Sets of permissions that are chosen with one click, in place of what was chosen before. */
function Presets({ value, onChange, offered }: Required<Pick<Props, 'value' | 'onChange' | 'offered'>>) {
  const t = useT();
  return (
    <fieldset className="flex flex-wrap gap-2">
      <legend className="sr-only">{t('Presets')}</legend>
      {presetsWithin(offered).map((preset) => (
        <Button
          key={preset.id}
          size="sm"
          variant={isPreset(preset, value) ? 'primary' : 'secondary'}
          aria-pressed={isPreset(preset, value)}
          title={t(preset.description)}
          onClick={() => onChange([...preset.permissions])}
        >
          {t(preset.label)}
        </Button>
      ))}
    </fieldset>
  );
}
