'use client';
import dynamic from 'next/dynamic';
import { ReadingFirewall } from './reading-firewall';

// Tabs that most visits to these pages never open: their code comes when they do.
const loading = ReadingFirewall;
export const ClusterFirewall = dynamic(() => import('./cluster-firewall').then((module) => module.ClusterFirewall), {
  loading,
});
export const NodeFirewall = dynamic(() => import('./node-firewall').then((module) => module.NodeFirewall), { loading });
export const NetworkFirewall = dynamic(() => import('./network-firewall').then((module) => module.NetworkFirewall), {
  loading,
});
