An organiser of tournaments lets players run as servers and plays matches between them.

Where a record cannot be written, that is said before the match.

  $ touch file
  $ ludens match tic_tac_toe random random --record file/match.json --quiet
  ludens: cannot write file/match.json: Not a directory
  [1]

A player that is not there is found out before the match, too.

  $ ludens match tic_tac_toe http://127.0.0.1:9 random --quiet
  ludens: no player for cross: nobody listens at 127.0.0.1:9: Connection refused
  [3]

A server of ours, with a name, a log and records.

  $ ludens serve --port 0 --name Alice --strategy random --seed 1 --log alice.log --records alice > alice.out 2>&1 &
  $ server=$!
  $ until grep -qs "127.0.0.1:[0-9]" alice.out; do sleep 0.1; done
  $ alice=$(grep -o -m 1 "127.0.0.1:[0-9]*" alice.out | head -1)
  $ ludens match tic_tac_toe $alice random --startclock 60 --playclock 60 --seed 3 --quiet --record match.json
  
  Result after 9 turns:
    cross   100  Alice
    nought    0  random
  The match completed without player errors.
  Match record: match.json
  $ python -c "import json; print(json.load(open('match.json'))['playerNamesFromHost'])"
  ['Alice', 'random']
  $ until ls alice | grep json > /dev/null; do sleep 0.1; done

While it plays for one manager, another is refused.

  $ cat > manager.py << 'END'
  > import sys, urllib.request
  > from ludens import games
  > address, text = sys.argv[1:]
  > text = text.replace("RULES", games.read("tic_tac_toe"))
  > print(urllib.request.urlopen(f"http://{address}", text.encode()).read().decode())
  > END
  $ python manager.py $alice "( START other cross ( RULES ) 60 60 )"
  ready
  $ ludens match tic_tac_toe $alice random --quiet
  ludens: no player for cross: Alice at 127.0.0.1:* is busy (glob)
  [3]
  $ python manager.py $alice "( ABORT other )"
  aborted

A browser gets a page.

  $ python -c "import urllib.request as u; print(u.urlopen(u.Request('http://$alice/', headers={'Accept': 'text/html'})).headers['content-type'])"
  text/html; charset=utf-8

SIGTERM ends the server in order.

  $ kill $server; wait $server
  $ tail -1 alice.log
  *T* Stopped. (glob)

A game that never ends is stopped.

  $ ludens match "$TESTDIR/endless.kif" random --max-turns 5 --startclock 60 --playclock 60 --quiet
  
  Stopped after 5 turns: the game was not over (see --max-turns).
  [4]
