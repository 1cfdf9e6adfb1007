-- Makes a label relevant, and files the ready tasks of some issues that carry it anew.
-- Arguments: label, cursor (`0` at first), count.
-- Reply: `ok` with the next cursor; `0` when all is done. A label that is half done counts as unlearned,
-- so that whoever asks next goes on, should the one who began have died.

if a.cursor == '0' then
  if call('SISMEMBER', K.labels_learned, a.label) == 1 and call('SISMEMBER', K.labels_learning, a.label) == 0 then
    return reply('ok', '0')
  end
  call('SADD', K.labels_learned, a.label)
  call('SADD', K.labels_learning, a.label)
  bump('registry_version')
end

local page = call('SSCAN', K.labels_issues .. a.label, a.cursor, 'COUNT', a.count)
for _, id in ipairs(page[2]) do
  local i = load_issue(id)
  for task in string.gmatch(i.tasks, '%S+') do
    local t = load_task(task)
    if t and t.state == 'ready' then
      unfile(t)
      file(t)
    end
  end
end
if page[1] == '0' then
  call('SREM', K.labels_learning, a.label)
  bump('registry_version')
end
return reply('ok', page[1])
