// The operations on lists.
import * as z from 'zod';
import { pageAnswer, recordAnswer } from './answers.ts';
import { operation } from './define.ts';
import { collectionFilter, paging, pagingDefaults } from './paging.ts';
import { list } from './records.ts';

export const lists = {
  list: operation({
    summary: 'List lists',
    method: 'GET',
    path: '/leads/api/lists',
    repeat: 'read',
    query: z.strictObject({ ...paging, filter: collectionFilter(['q']).optional() }),
    filterStyle: 'bracket',
    defaults: pagingDefaults,
    answer: pageAnswer(list),
  }),

  create: operation({
    summary: 'Create a list; a second one of the same name is allowed',
    method: 'POST',
    path: '/leads/api/lists',
    repeat: 'harmful',
    body: z.strictObject({ name: z.string().min(1) }),
    answer: recordAnswer(list, { blank: 'unknown', success: [201, 200], refusals: [422] }),
  }),

  get: operation({
    summary: 'Get a list',
    method: 'GET',
    path: '/leads/api/lists/{uuid}',
    repeat: 'read',
    answer: recordAnswer(list, { blank: 'again' }),
  }),
};
