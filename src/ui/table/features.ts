import {
  columnVisibilityFeature,
  metaHelper,
  rowSelectionFeature,
  rowSortingFeature,
  tableFeatures,
} from '@tanstack/react-table';

type Meta = { align: 'start' | 'end'; width: number; grow: boolean };

/** What our tables use of the library; sorting, filtering and paging are done by the server. */
export const features = tableFeatures({
  rowSortingFeature,
  columnVisibilityFeature,
  rowSelectionFeature,
  columnMeta: metaHelper<Meta>(),
});

export type Features = typeof features;
