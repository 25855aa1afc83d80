'use client';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { ProtectionCounts, ProtectionCountsInput } from '@/domain/inventory';
import { useTRPC } from '@/lib/trpc';
import type { FilterField } from '@/ui/filter/filter-field';

type Asked = ProtectionCountsInput & { sort?: unknown };

/** The fields with how many workloads each protection, and each reason, has under the other filters. */
export function useProtectionCounts(fields: readonly FilterField[], { sort: _, ...input }: Asked): FilterField[] {
  const trpc = useTRPC();
  const { data } = useQuery({
    ...trpc.workloads.protectionCounts.queryOptions(input),
    placeholderData: keepPreviousData,
  });
  return withCounts(fields, data);
}

/** The fields with counts in those that have them; without an answer no field has any. */
export function withCounts(
  fields: readonly FilterField[],
  counts: Partial<ProtectionCounts> | undefined,
): FilterField[] {
  const byField: Readonly<Record<string, Readonly<Record<string, number>> | undefined>> = {
    protection: counts?.protection,
    protection_reason: counts?.protection_reason,
  };
  return fields.map((field) => {
    const of = byField[field.id];
    if (!of) return field;
    return { ...field, options: field.options.map((option) => ({ ...option, count: of[option.value] ?? 0 })) };
  });
}
