-- Asks for the labels of an issue to be written again. Already pending: left as it is.
-- Arguments: issue. Reply: `ok`.

local i = load_issue(a.issue)
if i.issue ~= '' and not load_write(labels_id(i)) then enqueue(labels_id(i), 'labels', i, nil, {}) end
return reply('ok')
