import type { Catalog } from '../../translator';

const files = import.meta.glob<Catalog>('./*.json', { eager: true, import: 'default' });

/** All German texts, from one file for each area. */
export const catalog: Catalog = Object.assign({}, ...Object.values(files));
