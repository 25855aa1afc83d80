'use client';
import { useMutation } from '@tanstack/react-query';
import { Download } from 'lucide-react';
import { browserSession } from '@/lib/browser-session';
import { msg } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';
import { failureFromBody } from '@/lib/problem';
import { Button } from '@/ui/button';
import { Menu } from '@/ui/menu';
import { download } from '@/ui/table/csv';
import { showToast } from '@/ui/toast';

const FORMATS = { csv: msg('CSV, for spreadsheets'), ndjson: msg('JSON, one record per line') } as const;
type Format = keyof typeof FORMATS;

/** Writes all records that match into a file, with their states and hashes. */
export function AuditExport({ filter }: { filter: Record<string, unknown> }) {
  const t = useT();
  const exporting = useMutation({
    mutationFn: async (format: Format) => {
      const query = new URLSearchParams({ format });
      for (const [name, value] of Object.entries(filter)) {
        if (value !== undefined && value !== null && value !== '') query.set(name, String(value));
      }
      const response = await browserSession().authFetch(`/api/v1/audit?${query}`);
      if (!response.ok) {
        const body: unknown = await response.json().catch(() => null);
        throw new Error(failureFromBody(body, null)?.detail ?? 'The service did not answer as expected.');
      }
      download(`audit-${new Date().toISOString().slice(0, 10)}.${format}`, await response.blob());
    },
    onError: (error) => showToast('danger', { title: t('Could not export audit records'), description: error.message }),
  });
  return (
    <Menu
      align="end"
      trigger={
        <Button icon={<Download size={14} />} pending={exporting.isPending}>
          {t('Export')}
        </Button>
      }
      entries={(Object.keys(FORMATS) as Format[]).map((format) => ({
        id: format,
        label: t(FORMATS[format]),
        onSelect: () => exporting.mutate(format),
      }))}
    />
  );
}
