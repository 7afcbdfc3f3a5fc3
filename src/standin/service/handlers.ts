// The handlers of all operations.
import type { Operation } from '../../crm/outreach/operations/define.ts';
import {
  automation,
  contact,
  email,
  list,
  networkMessage,
  senderProfile,
} from '../../crm/outreach/operations/records.ts';
import type { operations } from '../../crm/outreach/operations/table.ts';
import { firstSegment } from './automations.ts';
import { collectionPage } from './collections.ts';
import type { CollectionRequest, CollectionRules } from './collections.ts';
import { contactInputToChange } from './contact-writes.ts';
import { givenKeys } from './identifiers.ts';
import type { Model } from './model.ts';
import { pageFigures } from './paging.ts';
import { invalid, notFound } from './refusal.ts';
import { noContent, ok } from './replies.ts';
import type { Reply } from './replies.ts';
import type { ContactRecord, SenderProfileRecord } from './stored.ts';
import { findExisting, intake } from './upsert.ts';
import { contactToWire, messageToWire, scheduledToWire, toWire } from './wire.ts';
import type { World } from './world.ts';

type InputOf<Op> = Op extends Operation<infer Input> ? Input : never;
type Table = typeof operations;

/** One handler for each operation of the table; a missing one does not compile. */
export type Handlers = {
  readonly [Area in keyof Table]: {
    readonly [Name in keyof Table[Area]]: (input: InputOf<Table[Area][Name]>) => Reply;
  };
};

/**
 * The effect of each operation on the model, and its answer. Handlers throw a Refusal before they have written
 * anything.
 */
export function createHandlers(model: Model, world: World): Handlers {
  const { switches, random } = world;
  const { jobs, contacts, lists, automations, senderProfiles, inbox } = model;

  const contactJson = (record: ContactRecord) => contactToWire(record, contact, switches);

  /** A page of a small collection, with the figures of all of them. */
  function listing<Row extends object>(
    rows: Iterable<Row>,
    request: CollectionRequest,
    rules: Omit<CollectionRules<Row>, 'rowsMax'> & { readonly rowsMax?: number },
    toJson: (row: Row) => object,
  ): { readonly data: object[]; readonly figures: object } {
    const window = collectionPage(rows, request, { rowsMax: switches.pageRowsMax, ...rules }, switches);
    return { data: window.rows.map(toJson), figures: pageFigures(window, switches.hasMore, switches, random) };
  }

  return {
    contacts: {
      lookupOne: (input) => {
        const found = contacts.match(givenKeys(input));
        return found ? ok(contactJson(found.record)) : lookupMiss();
      },

      search: ({ disable_aggregation = false, ...request }) => {
        const window = model.search.page(request);
        const wrap = (json: object, index: number) =>
          switches.searchRows === 'wrapped' || (switches.searchRows === 'mixed' && index % 2 === 0)
            ? { lead: json, ...(!disable_aggregation && { markers: [], flows: [] }) }
            : json;
        return ok({
          data: window.rows.map((record, index) => wrap(contactJson(record), index)),
          ...pageFigures(window, switches.searchHasMore, switches, random),
        });
      },

      get: ({ uuid }) => {
        const json = contactJson(contacts.get(uuid).record);
        return ok(switches.getWrapped ? { lead: json, markers: [], flows: [] } : json);
      },

      update: ({ uuid, ...input }) => {
        const before = contacts.get(uuid);
        const change = contactInputToChange(input, before.record, switches);
        return ok(contactJson(contacts.change(uuid, change).record));
      },

      delete: ({ uuid }) => {
        contacts.get(uuid);
        const isPending = jobs.pending.some((job) => job.kind === 'delete_contact' && job.lead_uuid === uuid);
        if (!isPending) jobs.dispatch({ kind: 'delete_contact', lead_uuid: uuid }, switches.deleteDelayMs);
        if (switches.deleteStatus === 'no_content') return noContent;
        const json = { status: 'success', message: 'The contact will be deleted.' };
        return { status: switches.deleteStatus === 'ok' ? 200 : 202, json };
      },

      upsert: ({ lead, custom_fields = {}, list_uuid, update_if_exists = true, move_to_list = false }) => {
        if (switches.upsertNeedsNetworkId && !lead.network_id) {
          throw invalid({ 'lead.network_id': ['This field is required.'] });
        }
        const stored = intake(model, world, {
          lead,
          customFields: custom_fields,
          listUuid: list_uuid,
          existing: update_if_exists ? 'updated' : switches.upsertExisting,
          moveToList: move_to_list,
        });
        return { status: stored.created ? switches.upsertCreateStatus : 200, json: contactJson(stored.contact.record) };
      },
    },

    lists: {
      list: (request) => {
        const rules = { shape: list, freeText: ['name'] as const };
        const { data, figures } = listing(lists.table.all(), request, rules, (row) => toWire(row, list, switches));
        return ok({ data, ...figures });
      },
      create: ({ name }) => ({ status: 201, json: toWire(lists.add({ name }), list, switches) }),
      get: ({ uuid }) => ok(toWire(lists.table.get(uuid), list, switches)),
    },

    automations: {
      list: (request) => {
        const rules = {
          shape: automation,
          freeText: ['name', 'description'] as const,
          orderDefault: switches.automationOrder,
        };
        const { data, figures } = listing(automations.table.all(), request, rules, automationJson);
        return ok({ data, ...figures });
      },
      start: ({ flowUuid }) => ok(automationJson(automations.start(flowUuid))),
      stop: ({ flowUuid }) => ok(automationJson(automations.stop(flowUuid))),

      addContact: ({ flowUuid, leadUuid, contact_source_id = firstSegment }) => {
        automations.assertEnrollable(flowUuid, contact_source_id, 'contact_source_id');
        contacts.get(leadUuid);
        automations.assertNotEnrolled(flowUuid, leadUuid);
        automations.enrol(flowUuid, leadUuid, contact_source_id);
        return noContent;
      },

      addNewLead: ({
        flowUuid,
        lead,
        custom_fields = {},
        list_uuid,
        update_lead_if_exists = true,
        move_to_list = false,
        flow_segment_id = firstSegment,
        skip_if_lead_exists = false,
      }) => {
        automations.assertEnrollable(flowUuid, flow_segment_id, 'flow_segment_id');
        if (skip_if_lead_exists && findExisting(model, lead)) return ok({ reason: 'skipped' });
        const stored = intake(model, world, {
          lead,
          customFields: custom_fields,
          listUuid: list_uuid,
          existing: update_lead_if_exists ? 'updated' : 'unchanged',
          moveToList: move_to_list,
        });
        automations.enrol(flowUuid, stored.contact.record.uuid, flow_segment_id);
        if (switches.addNewLeadAnswer === 'no_content') return noContent;
        return ok({ lead: contactJson(stored.contact.record), message: 'The contact was added to the automation.' });
      },

      cancel: ({ leadUuid, flow_uuids }) => {
        contacts.get(leadUuid);
        automations.requestCancel(leadUuid, flow_uuids);
        return cancelled();
      },
      cancelAll: ({ leadUuid }) => {
        contacts.get(leadUuid);
        automations.requestCancel(leadUuid, automations.activeFlows(leadUuid));
        return cancelled();
      },
    },

    senderProfiles: {
      list: (request) => {
        const rules = { shape: senderProfile, freeText: ['first_name', 'last_name', 'label'] as const };
        const { data, figures } = listing(senderProfiles.table.all(), request, rules, profileJson);
        return ok({ data, ...figures });
      },
      create: ({ first_name, last_name, assignee_user_id = world.userId, label = null }) => {
        senderProfiles.assertRoom();
        const created = senderProfiles.add({ first_name, last_name, assignee_user_id, label });
        return { status: switches.profileCreateStatus, json: profileJson(created) };
      },
      get: ({ senderProfileUuid }) => ok(profileJson(senderProfiles.table.get(senderProfileUuid))),
      connectExternal: ({ first_name, last_name, external_browser_profile_id, label = null, ...settings }) => {
        senderProfiles.assertSubscription();
        senderProfiles.assertRoom();
        const { schedule, smart_limits_enabled, notification_emails } = settings;
        const created = senderProfiles.add({
          first_name,
          last_name,
          label,
          // Decoded by now: its timeblocks have from and to.
          ...(schedule !== undefined && { schedule: schedule as SenderProfileRecord['schedule'] }),
          ...(smart_limits_enabled !== undefined && { smart_limits_enabled }),
          ...(notification_emails !== undefined && { notification_emails }),
        });
        senderProfiles.externalIdByProfile.set(created.uuid, external_browser_profile_id);
        return { status: 201, json: profileJson(created) };
      },
    },

    networkMessages: {
      list: (request) => {
        const rules = { shape: networkMessage, freeText: ['text', 'subject'] as const };
        const { data, figures } = listing(inbox.messages.all(), request, rules, messageJson);
        return ok({ data, ...figures });
      },
      send: ({
        sender_profile_uuid,
        lead_uuid,
        text = null,
        template_uuid = null,
        subject = null,
        attachments = [],
      }) => {
        senderProfiles.table.get(sender_profile_uuid);
        contacts.get(lead_uuid);
        const queued = inbox.addMessage({
          sender_profile_uuid,
          lead_uuid,
          text,
          template_uuid,
          subject,
          attachments,
          kind: subject === null ? 'message' : 'inmail',
        });
        jobs.dispatch({ kind: 'deliver_message', message_uuid: queued.uuid }, switches.messageDelayMs);
        return { status: 201, json: messageJson(queued) };
      },
    },

    emails: {
      list: (request) => {
        const rules = {
          shape: email,
          freeText: ['subject', 'from_email', 'to_email'] as const,
          rowsMax: switches.emailPageRowsMax,
        };
        const { data, figures } = listing(inbox.emails.all(), request, rules, emailJson);
        return ok(switches.emailPaging === 'nested' ? { data, pagination: figures } : { data, ...figures });
      },
      send: ({ sender_profile_uuid, lead_uuid, body, subject = null, cc = [], bcc = [], ...addresses }) => {
        const sender = senderProfiles.table.find(sender_profile_uuid);
        const recipient = contacts.find(lead_uuid)?.record;
        if (!sender) throw invalid({ sender_profile_uuid: ['The sender profile was not found.'] });
        if (!recipient) throw invalid({ lead_uuid: ['The contact was not found.'] });
        const to_email = addresses.to_email ?? recipient.work_email ?? recipient.personal_email;
        if (!to_email) throw invalid({ to_email: ['The contact has no e-mail address.'] });
        const queued = inbox.addEmail(
          {
            sender_profile_uuid,
            lead_uuid,
            mailbox_uuid: sender.mailbox_uuid,
            from_name: addresses.from_name ?? `${sender.first_name} ${sender.last_name}`,
            from_email: addresses.from_email ?? null,
            to_name: addresses.to_name ?? recipient.name,
            to_email,
            subject,
            cc,
            bcc,
          },
          { body },
        );
        jobs.dispatch({ kind: 'deliver_email', email_uuid: queued.email.uuid }, switches.emailDelayMs);
        return { status: 201, json: { emailDomain: emailJson(queued.email), emailBodyDomain: queued.body } };
      },
    },
  };

  function lookupMiss(): Reply {
    switch (switches.lookupMiss) {
      case 'not_found':
        throw notFound('The contact');
      case 'null':
        return ok(null);
      case 'object':
        return ok({});
      case 'array':
        return ok([]);
      case 'blank':
        return { status: 200 };
      case 'no_content':
        return noContent;
    }
  }

  function cancelled(): Reply {
    return switches.cancelAnswer === 'no_content' ? noContent : ok({ message: 'The automations will be cancelled.' });
  }

  function automationJson(record: Parameters<typeof scheduledToWire>[0]): object {
    return scheduledToWire(record, automation, switches);
  }
  function profileJson(record: Parameters<typeof scheduledToWire>[0]): object {
    return scheduledToWire(record, senderProfile, switches);
  }
  function messageJson(record: Parameters<typeof messageToWire>[0]): object {
    return messageToWire(record, networkMessage, switches);
  }
  function emailJson(record: object): object {
    return toWire(record, email, switches);
  }
}
